#include "service/store/work.h"

#include "base/hash.h"
#include "base/record.h"

#include <stddef.h>
#include <string.h>

/* ==== work ======================================================================================================== */

bool worker_name_is_valid(const char *name)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");
    return length > 0 && length <= WORKER_NAME_BYTES && name[length] == '\0';
}

static Status check_worker(const RecordReading *reading, const cJSON *item, const void *member)
{
    if (worker_name_is_valid(*(const char *const *)member))
        return STATUS_OK;
    return json_fail(reading->file, item, reading->why, "expected 1 to %d letters, digits, '-' and '_'",
                     WORKER_NAME_BYTES);
}

static Status check_edition(const RecordReading *reading, const cJSON *item, const void *member)
{
    const char *edition = *(const char *const *)member;
    if (strlen(edition) == 64 && strspn(edition, "0123456789abcdef") == 64)
        return STATUS_OK;
    return json_fail(reading->file, item, reading->why, "expected 64 hexadecimal digits");
}

/* ==== messages ==================================================================================================== */

static const char *const modes[] = {"rank", "test", "try", NULL};
static const char *const outcomes[] = {"judged", "worker_failed", "given_back", NULL};

/* A text that must be there; one that may be NULL; and the number of a judging, or of its attempt. */
#define TEXT(STRUCT, NAME, ...) ROW(STRUCT, NAME, #NAME, .required = true, __VA_ARGS__)
#define MAYBE(STRUCT, NAME, ...) ROW(STRUCT, NAME, #NAME, __VA_ARGS__)
#define NUMBER(STRUCT, NAME, KEY, MOST) ROW(STRUCT, NAME, KEY, .required = true, .low = 0, .high = MOST)
#define WHICH(STRUCT) NUMBER(STRUCT, id.judging, "judging", 1e15), NUMBER(STRUCT, id.attempt, "attempt", 1e9)

/* clang-format off */

RECORD(claim_table, WorkClaim,
    TEXT(WorkClaim, worker, .check = check_worker),
    TEXT(WorkClaim, device),
    TEXT(WorkClaim, device_name),
    NUMBER(WorkClaim, wait_s, "wait_s", WORK_MOST_WAIT_S),
    NUMBER(WorkClaim, most_s, "most_s", 1e9));

RECORD(job_table, WorkJob,
    WHICH(WorkJob),
    TEXT(WorkJob, mode, .names = modes),
    TEXT(WorkJob, problem),
    TEXT(WorkJob, revision),
    TEXT(WorkJob, source_hash),
    TEXT(WorkJob, source),
    TEXT(WorkJob, file_name),
    TEXT(WorkJob, person),
    MAYBE(WorkJob, sizes),
    MAYBE(WorkJob, cases),
    MAYBE(WorkJob, edition, .check = check_edition),
    NUMBER(WorkJob, time_limit_s, "time_limit_s", 1e9));

RECORD(progress_table, WorkProgress,
    WHICH(WorkProgress),
    TEXT(WorkProgress, worker, .check = check_worker),
    TEXT(WorkProgress, step),
    NUMBER(WorkProgress, done, "done", 1e9),
    NUMBER(WorkProgress, total, "total", 1e9));

RECORD(run_table, Run,
    ROW(Run, board.problem, "problem", .required = true),
    ROW(Run, board.revision, "revision", .required = true),
    ROW(Run, board.device, "device", .required = true),
    NUMBER(Run, board.epoch, "epoch", 1e9),
    TEXT(Run, time_utc),
    TEXT(Run, person),
    TEXT(Run, device_name),
    TEXT(Run, driver),
    TEXT(Run, toolkit),
    TEXT(Run, judge),
    TEXT(Run, sandbox),
    TEXT(Run, verdict),
    TEXT(Run, rank_status),
    ROW(Run, time.ms, "score_ms", .required = true),
    ROW(Run, time.uncertainty, "uncertainty", .required = true),
    ROW(Run, time.model, "model_terms", .sparse = true),
    MAYBE(Run, machine_code),
    TEXT(Run, source_hash),
    TEXT(Run, file_name),
    MAYBE(Run, sitting),
    MAYBE(Run, cases));

RECORD(result_table, WorkResult,
    WHICH(WorkResult),
    TEXT(WorkResult, source_hash),
    TEXT(WorkResult, revision),
    TEXT(WorkResult, worker, .check = check_worker),
    TEXT(WorkResult, device),
    TEXT(WorkResult, device_name),
    TEXT(WorkResult, outcome, .names = outcomes),
    TEXT(WorkResult, why),
    TEXT(WorkResult, result),
    ROW_BEHIND(WorkResult, run, "run", run_table),
    TEXT(WorkResult, report),
    TEXT(WorkResult, explain),
    MAYBE(WorkResult, case_verdicts));

/* clang-format on */

static cJSON *object_of(const RecordTable *table, const void *record)
{
    cJSON *object = cJSON_CreateObject();
    record_write(table, record, object);
    return object;
}

cJSON *work_claim_json(const WorkClaim *claim)
{
    return object_of(&claim_table, claim);
}

Status work_read_claim(const JsonFile *file, Arena *arena, WorkClaim *claim, Message *why)
{
    *claim = (WorkClaim){0};
    return record_read(&claim_table, file, file->root, arena, claim, why);
}

cJSON *work_job_json(const WorkJob *job)
{
    return object_of(&job_table, job);
}

static Status check_job(const JsonFile *file, const cJSON *object, const WorkJob *job, Message *why)
{
    const bool is_try = strcmp(job->mode, "try") == 0;
    if (job->sizes != NULL && !is_try)
        return json_fail(file, json_get(object, "sizes"), why, "only with the mode \"try\"");
    if (job->cases != NULL && (strcmp(job->cases, "all") != 0 || is_try))
        return json_fail(file, json_get(object, "cases"), why, "expected \"all\", and not with the mode \"try\"");
    if (!(job->time_limit_s > 0))
        return json_fail(file, json_get(object, "time_limit_s"), why, "expected more than 0");
    if (strcmp(job->source_hash, hash_of_one(job->source, strlen(job->source)).hex) != 0)
        return json_fail(file, json_get(object, "source_hash"), why, "not the hash of \"source\"");
    return STATUS_OK;
}

Status work_read_job(const JsonFile *file, const cJSON *object, Arena *arena, WorkJob *job, Message *why)
{
    *job = (WorkJob){0};
    TRY(record_read(&job_table, file, object, arena, job, why));
    return check_job(file, object, job, why);
}

cJSON *work_progress_json(const WorkProgress *progress)
{
    return object_of(&progress_table, progress);
}

Status work_read_progress(const JsonFile *file, Arena *arena, WorkProgress *progress, Message *why)
{
    *progress = (WorkProgress){0};
    return record_read(&progress_table, file, file->root, arena, progress, why);
}

cJSON *work_result_json(const WorkResult *result)
{
    return object_of(&result_table, result);
}

Status work_read_result(const JsonFile *file, Arena *arena, WorkResult *result, Message *why)
{
    *result = (WorkResult){0};
    return record_read(&result_table, file, file->root, arena, result, why);
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

void work_write_run(const Run *run, Text *text)
{
    record_print(&run_table, run, text);
}

Status work_parse_run(const char *name, const char *text, Arena *arena, Run *run, Message *why)
{
    JsonFile file;
    *run = (Run){0};
    TRY(json_parse(name, text, strlen(text), &file, why));
    Status status = record_read(&run_table, &file, file.root, arena, run, why);
    json_free(&file);
    return status;
}
