#include "service/store/work.h"

#include "base/hash.h"

#include <float.h>
#include <stddef.h>
#include <string.h>

typedef enum RecordKind {
    RECORD_TEXT,          /* const char * */
    RECORD_OPTIONAL_TEXT, /* likewise */
    RECORD_INTEGER,       /* int64_t, from 0 to 2^53 */
    RECORD_COUNT,         /* int, from 0 to 10^9 */
    RECORD_NUMBER,        /* double */
    RECORD_OTHER          /* no member: an optional key that the caller reads and writes */
} RecordKind;

typedef struct RecordField {
    const char *key;
    RecordKind kind;
    size_t offset; /* of the member */
} RecordField;

/* ==== record ====================================================================================================== */

/* A struct as a JSON object: one row for each member, for reading and for writing.
 *
 * Texts are UTF-8. An optional text that is NULL is left out, and NULL where it is missing. */

enum { MOST_FIELDS = 32, MOST_COUNT = 1000000000 };
static const int64_t MOST_INTEGER = INT64_C(1) << 53; /* a double holds every smaller one */

static void put_text(cJSON *object, const char *key, const char *text)
{
    if (text != NULL)
        cJSON_AddStringToObject(object, key, text);
}

/* Adds a key for each field to the object. */
static void record_put(cJSON *object, const RecordField *fields, size_t count, const void *record)
{
    for (const RecordField *field = fields; field < fields + count; field++) {
        const void *member = (const char *)record + field->offset;
        switch (field->kind) {
        case RECORD_TEXT:
        case RECORD_OPTIONAL_TEXT: put_text(object, field->key, *(const char *const *)member); break;
        case RECORD_INTEGER: cJSON_AddNumberToObject(object, field->key, (double)*(const int64_t *)member); break;
        case RECORD_COUNT: cJSON_AddNumberToObject(object, field->key, *(const int *)member); break;
        case RECORD_NUMBER: json_put_number(object, field->key, *(const double *)member); break;
        case RECORD_OTHER: break;
        }
    }
}

static JsonKey key_of(const RecordField *field)
{
    bool optional = field->kind == RECORD_OPTIONAL_TEXT || field->kind == RECORD_OTHER;
    bool text = field->kind == RECORD_TEXT || field->kind == RECORD_OPTIONAL_TEXT;
    JsonKind kind = field->kind == RECORD_OTHER ? JSON_ANY : text ? JSON_STRING : JSON_NUMBER;
    return (JsonKey){field->key, kind, !optional};
}

static Status read_field(const JsonFile *file, const cJSON *object, const RecordField *field, Arena *arena,
                         void *record, Message *why)
{
    void *member = (char *)record + field->offset;
    const char *text = json_string(object, field->key);
    int64_t integer = 0;
    Status status = STATUS_OK;
    switch (field->kind) {
    case RECORD_TEXT:
    case RECORD_OPTIONAL_TEXT: *(const char **)member = text == NULL ? NULL : arena_string(arena, text); break;
    case RECORD_INTEGER: return json_integer(file, object, field->key, 0, MOST_INTEGER, (int64_t *)member, why);
    case RECORD_COUNT:
        status = json_integer(file, object, field->key, 0, MOST_COUNT, &integer, why);
        *(int *)member = (int)integer;
        break;
    case RECORD_NUMBER: return json_number(file, object, field->key, -DBL_MAX, DBL_MAX, (double *)member, why);
    case RECORD_OTHER: break;
    }
    return status;
}

/* Fills in the struct from an object that has these keys and no others; texts are copied into `arena`. */
static MUST_USE Status record_read(const JsonFile *file, const cJSON *object, const RecordField *fields, size_t count,
                                   Arena *arena, void *record, Message *why)
{
    JsonKey keys[MOST_FIELDS] = {{0}};
    for (size_t i = 0; i < count; i++)
        keys[i] = key_of(&fields[i]);
    Status status = json_check(file, object, keys, count, why);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = read_field(file, object, &fields[i], arena, record, why);
    return status;
}

/* ==== work ======================================================================================================== */

bool worker_name_is_valid(const char *name)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");
    return length > 0 && length <= WORKER_NAME_BYTES && name[length] == '\0';
}

/* ==== messages ==================================================================================================== */

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static const RecordField claim_fields[] = {
    {"worker", RECORD_TEXT, offsetof(WorkClaim, worker)},
    {"device", RECORD_TEXT, offsetof(WorkClaim, device)},
    {"device_name", RECORD_TEXT, offsetof(WorkClaim, device_name)},
    {"wait_s", RECORD_NUMBER, offsetof(WorkClaim, wait_s)},
    {"most_s", RECORD_NUMBER, offsetof(WorkClaim, most_s)},
};

static const RecordField job_fields[] = {
    {"judging", RECORD_INTEGER, offsetof(WorkJob, id.judging)},
    {"attempt", RECORD_COUNT, offsetof(WorkJob, id.attempt)},
    {"mode", RECORD_TEXT, offsetof(WorkJob, mode)},
    {"problem", RECORD_TEXT, offsetof(WorkJob, problem)},
    {"revision", RECORD_TEXT, offsetof(WorkJob, revision)},
    {"source_hash", RECORD_TEXT, offsetof(WorkJob, source_hash)},
    {"source", RECORD_TEXT, offsetof(WorkJob, source)},
    {"file_name", RECORD_TEXT, offsetof(WorkJob, file_name)},
    {"person", RECORD_TEXT, offsetof(WorkJob, person)},
    {"sizes", RECORD_OPTIONAL_TEXT, offsetof(WorkJob, sizes)},
    {"cases", RECORD_OPTIONAL_TEXT, offsetof(WorkJob, cases)},
    {"edition", RECORD_OPTIONAL_TEXT, offsetof(WorkJob, edition)},
    {"time_limit_s", RECORD_NUMBER, offsetof(WorkJob, time_limit_s)},
};

static const RecordField progress_fields[] = {
    {"judging", RECORD_INTEGER, offsetof(WorkProgress, id.judging)},
    {"attempt", RECORD_COUNT, offsetof(WorkProgress, id.attempt)},
    {"worker", RECORD_TEXT, offsetof(WorkProgress, worker)},
    {"step", RECORD_TEXT, offsetof(WorkProgress, step)},
    {"done", RECORD_COUNT, offsetof(WorkProgress, done)},
    {"total", RECORD_COUNT, offsetof(WorkProgress, total)},
};

static const RecordField result_fields[] = {
    {"judging", RECORD_INTEGER, offsetof(WorkResult, id.judging)},
    {"attempt", RECORD_COUNT, offsetof(WorkResult, id.attempt)},
    {"source_hash", RECORD_TEXT, offsetof(WorkResult, source_hash)},
    {"revision", RECORD_TEXT, offsetof(WorkResult, revision)},
    {"worker", RECORD_TEXT, offsetof(WorkResult, worker)},
    {"device", RECORD_TEXT, offsetof(WorkResult, device)},
    {"device_name", RECORD_TEXT, offsetof(WorkResult, device_name)},
    {"outcome", RECORD_TEXT, offsetof(WorkResult, outcome)},
    {"why", RECORD_TEXT, offsetof(WorkResult, why)},
    {"result", RECORD_TEXT, offsetof(WorkResult, result)},
    {"run", RECORD_OTHER, 0},
    {"report", RECORD_TEXT, offsetof(WorkResult, report)},
    {"explain", RECORD_TEXT, offsetof(WorkResult, explain)},
    {"case_verdicts", RECORD_OPTIONAL_TEXT, offsetof(WorkResult, case_verdicts)},
};

static const RecordField run_fields[] = {
    {"problem", RECORD_TEXT, offsetof(Run, board.problem)},
    {"revision", RECORD_TEXT, offsetof(Run, board.revision)},
    {"device", RECORD_TEXT, offsetof(Run, board.device)},
    {"epoch", RECORD_COUNT, offsetof(Run, board.epoch)},
    {"time_utc", RECORD_TEXT, offsetof(Run, time_utc)},
    {"person", RECORD_TEXT, offsetof(Run, person)},
    {"device_name", RECORD_TEXT, offsetof(Run, device_name)},
    {"driver", RECORD_TEXT, offsetof(Run, driver)},
    {"toolkit", RECORD_TEXT, offsetof(Run, toolkit)},
    {"judge", RECORD_TEXT, offsetof(Run, judge)},
    {"sandbox", RECORD_TEXT, offsetof(Run, sandbox)},
    {"verdict", RECORD_TEXT, offsetof(Run, verdict)},
    {"rank_status", RECORD_TEXT, offsetof(Run, rank_status)},
    {"score_ms", RECORD_NUMBER, offsetof(Run, time.ms)},
    {"uncertainty", RECORD_NUMBER, offsetof(Run, time.uncertainty)},
    {"machine_code", RECORD_OPTIONAL_TEXT, offsetof(Run, machine_code)},
    {"source_hash", RECORD_TEXT, offsetof(Run, source_hash)},
    {"file_name", RECORD_TEXT, offsetof(Run, file_name)},
    {"sitting", RECORD_OPTIONAL_TEXT, offsetof(Run, sitting)},
    {"cases", RECORD_OPTIONAL_TEXT, offsetof(Run, cases)},
};

static bool is_one_of(const char *text, const char *const *names)
{
    while (*names != NULL && strcmp(text, *names) != 0)
        names++;
    return *names != NULL;
}

static Status check_worker(const JsonFile *file, const char *worker, Message *why)
{
    if (worker_name_is_valid(worker))
        return STATUS_OK;
    return json_fail(file, json_get(file->root, "worker"), why, "expected 1 to %d letters, digits, '-' and '_'",
                     WORKER_NAME_BYTES);
}

/* ---- claims ------------------------------------------------------------------------------------------------------ */

cJSON *work_claim_json(const WorkClaim *claim)
{
    cJSON *object = cJSON_CreateObject();
    record_put(object, claim_fields, COUNT_OF(claim_fields), claim);
    return object;
}

Status work_read_claim(const JsonFile *file, Arena *arena, WorkClaim *claim, Message *why)
{
    *claim = (WorkClaim){0};
    Status status = record_read(file, file->root, claim_fields, COUNT_OF(claim_fields), arena, claim, why);
    if (status == STATUS_OK && !(claim->wait_s >= 0 && claim->wait_s <= WORK_MOST_WAIT_S))
        status = json_fail(file, json_get(file->root, "wait_s"), why, "expected 0 to %d", WORK_MOST_WAIT_S);
    if (status == STATUS_OK && !(claim->most_s >= 0))
        status = json_fail(file, json_get(file->root, "most_s"), why, "expected 0 or more");
    return status == STATUS_OK ? check_worker(file, claim->worker, why) : status;
}

/* ---- jobs -------------------------------------------------------------------------------------------------------- */

cJSON *work_job_json(const WorkJob *job)
{
    cJSON *object = cJSON_CreateObject();
    record_put(object, job_fields, COUNT_OF(job_fields), job);
    return object;
}

static Status check_job(const JsonFile *file, const cJSON *object, const WorkJob *job, Message *why)
{
    static const char *const modes[] = {"rank", "test", "try", NULL};
    if (!is_one_of(job->mode, modes))
        return json_fail(file, json_get(object, "mode"), why, "expected \"rank\", \"test\" or \"try\"");
    if (job->sizes != NULL && strcmp(job->mode, "try") != 0)
        return json_fail(file, json_get(object, "sizes"), why, "only with the mode \"try\"");
    if (job->cases != NULL && (strcmp(job->cases, "all") != 0 || strcmp(job->mode, "try") == 0))
        return json_fail(file, json_get(object, "cases"), why, "expected \"all\", and not with the mode \"try\"");
    if (job->edition != NULL && (strlen(job->edition) != 64 || strspn(job->edition, "0123456789abcdef") != 64))
        return json_fail(file, json_get(object, "edition"), why, "expected 64 hexadecimal digits");
    if (!(job->time_limit_s > 0))
        return json_fail(file, json_get(object, "time_limit_s"), why, "expected more than 0");
    if (strcmp(job->source_hash, hash_of_one(job->source, strlen(job->source)).hex) != 0)
        return json_fail(file, json_get(object, "source_hash"), why, "not the hash of \"source\"");
    return STATUS_OK;
}

Status work_read_job(const JsonFile *file, const cJSON *object, Arena *arena, WorkJob *job, Message *why)
{
    *job = (WorkJob){0};
    Status status = record_read(file, object, job_fields, COUNT_OF(job_fields), arena, job, why);
    return status == STATUS_OK ? check_job(file, object, job, why) : status;
}

/* ---- progress ---------------------------------------------------------------------------------------------------- */

cJSON *work_progress_json(const WorkProgress *progress)
{
    cJSON *object = cJSON_CreateObject();
    record_put(object, progress_fields, COUNT_OF(progress_fields), progress);
    return object;
}

Status work_read_progress(const JsonFile *file, Arena *arena, WorkProgress *progress, Message *why)
{
    *progress = (WorkProgress){0};
    Status status = record_read(file, file->root, progress_fields, COUNT_OF(progress_fields), arena, progress, why);
    return status == STATUS_OK ? check_worker(file, progress->worker, why) : status;
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

cJSON *work_result_json(const WorkResult *result)
{
    cJSON *object = cJSON_CreateObject();
    record_put(object, result_fields, COUNT_OF(result_fields), result);
    if (result->run != NULL)
        record_put(cJSON_AddObjectToObject(object, "run"), run_fields, COUNT_OF(run_fields), result->run);
    return object;
}

static Status read_run(const JsonFile *file, Arena *arena, WorkResult *result, Message *why)
{
    const cJSON *object = json_get(file->root, "run");
    if (object == NULL)
        return STATUS_OK;
    Run *run = arena_alloc(arena, sizeof *run);
    result->run = run;
    return record_read(file, object, run_fields, COUNT_OF(run_fields), arena, run, why);
}

Status work_read_result(const JsonFile *file, Arena *arena, WorkResult *result, Message *why)
{
    static const char *const outcomes[] = {"judged", "worker_failed", "given_back", NULL};
    *result = (WorkResult){0};
    Status status = record_read(file, file->root, result_fields, COUNT_OF(result_fields), arena, result, why);
    if (status == STATUS_OK)
        status = read_run(file, arena, result, why);
    if (status == STATUS_OK && !is_one_of(result->outcome, outcomes))
        status = json_fail(file, json_get(file->root, "outcome"), why,
                           "expected \"judged\", \"worker_failed\" or \"given_back\"");
    return status == STATUS_OK ? check_worker(file, result->worker, why) : status;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

void work_write_run(const Run *run, Text *text)
{
    cJSON *object = cJSON_CreateObject();
    record_put(object, run_fields, COUNT_OF(run_fields), run);
    json_print(object, text);
    cJSON_Delete(object);
}

Status work_parse_run(const char *name, const char *text, Arena *arena, Run *run, Message *why)
{
    JsonFile file;
    *run = (Run){0};
    Status status = json_parse(name, text, strlen(text), &file, why);
    if (status != STATUS_OK)
        return status;
    status = record_read(&file, file.root, run_fields, COUNT_OF(run_fields), arena, run, why);
    json_free(&file);
    return status;
}
