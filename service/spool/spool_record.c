#include "service/spool/spool_record.h"

#include "base/hash.h"
#include "base/json.h"
#include "service/spool/record.h"

#include <string.h>

enum { JOB_BYTES = 16 << 20, BEAT_BYTES = 4096, DONE_BYTES = 128 << 20 };

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static const RecordField job_fields[] = {
    {"format", RECORD_FORMAT, 0},
    {"judging", RECORD_INTEGER, offsetof(SpoolJob, id.judging)},
    {"attempt", RECORD_COUNT, offsetof(SpoolJob, id.attempt)},
    {"mode", RECORD_TEXT, offsetof(SpoolJob, mode)},
    {"problem", RECORD_TEXT, offsetof(SpoolJob, problem)},
    {"revision", RECORD_TEXT, offsetof(SpoolJob, revision)},
    {"source_hash", RECORD_TEXT, offsetof(SpoolJob, source_hash)},
    {"source", RECORD_TEXT, offsetof(SpoolJob, source)},
    {"file_name", RECORD_TEXT, offsetof(SpoolJob, file_name)},
    {"person", RECORD_TEXT, offsetof(SpoolJob, person)},
    {"sizes", RECORD_OPTIONAL_TEXT, offsetof(SpoolJob, sizes)},
    {"avoid", RECORD_OPTIONAL_TEXT, offsetof(SpoolJob, avoid)},
    {"cases", RECORD_OPTIONAL_TEXT, offsetof(SpoolJob, cases)},
    {"edition", RECORD_OPTIONAL_TEXT, offsetof(SpoolJob, edition)},
    {"device", RECORD_TEXT, offsetof(SpoolJob, device)},
    {"priority", RECORD_NUMBER, offsetof(SpoolJob, priority)},
    {"time_limit_s", RECORD_NUMBER, offsetof(SpoolJob, time_limit_s)},
};

static const RecordField beat_fields[] = {
    {"count", RECORD_INTEGER, offsetof(SpoolClaim, count)},
    {"step", RECORD_TEXT, offsetof(SpoolClaim, step)},
    {"done", RECORD_COUNT, offsetof(SpoolClaim, done)},
    {"total", RECORD_COUNT, offsetof(SpoolClaim, total)},
};

static const RecordField idle_fields[] = {
    {"count", RECORD_INTEGER, offsetof(SpoolIdle, count)},
    {"device", RECORD_TEXT, offsetof(SpoolIdle, device)},
    {"device_name", RECORD_TEXT, offsetof(SpoolIdle, device_name)},
    {"held", RECORD_OTHER, 0},
};

static const RecordField done_fields[] = {
    {"format", RECORD_FORMAT, 0},
    {"judging", RECORD_INTEGER, offsetof(SpoolDone, id.judging)},
    {"attempt", RECORD_COUNT, offsetof(SpoolDone, id.attempt)},
    {"source_hash", RECORD_TEXT, offsetof(SpoolDone, source_hash)},
    {"revision", RECORD_TEXT, offsetof(SpoolDone, revision)},
    {"worker", RECORD_TEXT, offsetof(SpoolDone, worker)},
    {"device", RECORD_TEXT, offsetof(SpoolDone, device)},
    {"device_name", RECORD_TEXT, offsetof(SpoolDone, device_name)},
    {"outcome", RECORD_TEXT, offsetof(SpoolDone, outcome)},
    {"why", RECORD_TEXT, offsetof(SpoolDone, why)},
    {"result", RECORD_TEXT, offsetof(SpoolDone, result)},
    {"run", RECORD_OTHER, 0},
    {"report", RECORD_TEXT, offsetof(SpoolDone, report)},
    {"explain", RECORD_TEXT, offsetof(SpoolDone, explain)},
    {"case_verdicts", RECORD_OPTIONAL_TEXT, offsetof(SpoolDone, case_verdicts)},
    {"checksum", RECORD_OTHER, 0},
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

static Status check_id(const JsonFile *file, SpoolId expected, SpoolId found, Message *why)
{
    if (found.judging == expected.judging && found.attempt == expected.attempt)
        return STATUS_OK;
    return json_fail(file, NULL, why, "holds %lld-%d", (long long)found.judging, found.attempt);
}

static void print_object(cJSON *object, Text *text)
{
    json_print(object, text);
    cJSON_Delete(object);
}

/* ---- jobs -------------------------------------------------------------------------------------------------------- */

void spool_write_job(const SpoolJob *job, Text *text)
{
    cJSON *object = cJSON_CreateObject();
    record_put(object, job_fields, COUNT_OF(job_fields), job);
    print_object(object, text);
}

static Status check_job(const JsonFile *file, SpoolId id, const SpoolJob *job, Message *why)
{
    static const char *const modes[] = {"rank", "test", "try", NULL};
    if (!is_one_of(job->mode, modes))
        return json_fail(file, json_get(file->root, "mode"), why, "expected \"rank\", \"test\" or \"try\"");
    if (job->sizes != NULL && strcmp(job->mode, "try") != 0)
        return json_fail(file, json_get(file->root, "sizes"), why, "only with the mode \"try\"");
    if (job->cases != NULL && (strcmp(job->cases, "all") != 0 || strcmp(job->mode, "try") == 0))
        return json_fail(file, json_get(file->root, "cases"), why, "expected \"all\", and not with the mode \"try\"");
    if (job->edition != NULL && (strlen(job->edition) != 64 || strspn(job->edition, "0123456789abcdef") != 64))
        return json_fail(file, json_get(file->root, "edition"), why, "expected 64 hexadecimal digits");
    if (!(job->time_limit_s > 0))
        return json_fail(file, json_get(file->root, "time_limit_s"), why, "expected more than 0");
    if (strcmp(job->source_hash, hash_of_one(job->source, strlen(job->source)).hex) != 0)
        return json_fail(file, json_get(file->root, "source_hash"), why, "not the hash of \"source\"");
    return check_id(file, id, job->id, why);
}

Status spool_read_job(const char *path, SpoolId id, Arena *arena, SpoolJob *job, Message *why)
{
    JsonFile file;
    *job = (SpoolJob){0};
    Status status = json_read(path, JOB_BYTES, &file, why);
    if (status == STATUS_OK)
        status = record_read(&file, file.root, job_fields, COUNT_OF(job_fields), arena, job, why);
    if (status == STATUS_OK)
        status = check_job(&file, id, job, why);
    json_free(&file);
    job->id = id;
    return status;
}

/* ---- beats ------------------------------------------------------------------------------------------------------- */

void spool_write_beat(const SpoolClaim *claim, Text *text)
{
    cJSON *object = cJSON_CreateObject();
    record_put(object, beat_fields, COUNT_OF(beat_fields), claim);
    print_object(object, text);
}

Status spool_read_beat(const char *path, Arena *arena, SpoolClaim *claim, Message *why)
{
    JsonFile file;
    SpoolClaim read = *claim;
    Status status = json_read(path, BEAT_BYTES, &file, why);
    if (status == STATUS_OK)
        status = record_read(&file, file.root, beat_fields, COUNT_OF(beat_fields), arena, &read, why);
    if (status == STATUS_OK)
        *claim = read;
    json_free(&file);
    return status;
}

void spool_write_idle(const SpoolIdle *idle, Text *text)
{
    cJSON *object = cJSON_CreateObject();
    record_put(object, idle_fields, COUNT_OF(idle_fields), idle);
    cJSON_AddBoolToObject(object, "held", idle->is_held);
    print_object(object, text);
}

Status spool_read_idle(const char *path, Arena *arena, SpoolIdle *idle, Message *why)
{
    JsonFile file;
    SpoolIdle read = *idle;
    Status status = json_read(path, BEAT_BYTES, &file, why);
    if (status == STATUS_OK)
        status = record_read(&file, file.root, idle_fields, COUNT_OF(idle_fields), arena, &read, why);
    if (status == STATUS_OK) {
        *idle = read;
        idle->is_held = cJSON_IsTrue(json_get(file.root, "held"));
    }
    json_free(&file);
    return status;
}

/* ---- ends -------------------------------------------------------------------------------------------------------- */

/* The hash of the text of an object without white space, with all digits of its numbers. */
static Digest checksum_of(const cJSON *object)
{
    cJSON *copy = cJSON_Duplicate(object, 1);
    json_keep_digits(copy);
    char *printed = cJSON_PrintUnformatted(copy);
    Digest digest = hash_of_bytes(printed, strlen(printed));
    cJSON_free(printed);
    cJSON_Delete(copy);
    return digest;
}

/* Of the object as a reader will find it. */
static void add_checksum(cJSON *object)
{
    char *printed = cJSON_PrintUnformatted(object);
    cJSON *read = cJSON_Parse(printed);
    cJSON_AddStringToObject(object, "checksum", checksum_of(read).hex);
    cJSON_Delete(read);
    cJSON_free(printed);
}

void spool_write_done(const SpoolDone *done, Text *text)
{
    cJSON *object = cJSON_CreateObject();
    record_put(object, done_fields, COUNT_OF(done_fields), done);
    cJSON *run = done->run == NULL ? cJSON_AddNullToObject(object, "run") : cJSON_AddObjectToObject(object, "run");
    if (done->run != NULL)
        record_put(run, run_fields, COUNT_OF(run_fields), done->run);
    add_checksum(object);
    print_object(object, text);
}

static Status check_checksum(const JsonFile *file, Message *why)
{
    cJSON *found = cJSON_DetachItemFromObjectCaseSensitive(file->root, "checksum");
    bool holds = cJSON_IsString(found) && strcmp(found->valuestring, checksum_of(file->root).hex) == 0;
    cJSON_Delete(found);
    return holds ? STATUS_OK : json_fail(file, NULL, why, "the checksum does not fit the contents");
}

static Status read_run(const JsonFile *file, Arena *arena, SpoolDone *done, Message *why)
{
    const cJSON *object = json_get(file->root, "run");
    if (object == NULL || cJSON_IsNull(object))
        return STATUS_OK;
    Run *run = arena_alloc(arena, sizeof *run);
    done->run = run;
    return record_read(file, object, run_fields, COUNT_OF(run_fields), arena, run, why);
}

static Status check_done(const JsonFile *file, SpoolId id, const SpoolDone *done, Message *why)
{
    static const char *const outcomes[] = {"judged", "worker_failed", "given_back", NULL};
    if (!is_one_of(done->outcome, outcomes))
        return json_fail(file, json_get(file->root, "outcome"), why,
                         "expected \"judged\", \"worker_failed\" or \"given_back\"");
    return check_id(file, id, done->id, why);
}

Status spool_parse_done(const char *path, SpoolId id, Arena *arena, SpoolDone *done, Message *why)
{
    JsonFile file;
    *done = (SpoolDone){0};
    Status status = json_read(path, DONE_BYTES, &file, why);
    if (status == STATUS_OK)
        status = check_checksum(&file, why);
    if (status == STATUS_OK)
        status = record_read(&file, file.root, done_fields, COUNT_OF(done_fields), arena, done, why);
    if (status == STATUS_OK)
        status = read_run(&file, arena, done, why);
    if (status == STATUS_OK)
        status = check_done(&file, id, done, why);
    json_free(&file);
    return status;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

void spool_write_run(const Run *run, Text *text)
{
    cJSON *object = cJSON_CreateObject();
    record_put(object, run_fields, COUNT_OF(run_fields), run);
    print_object(object, text);
}

Status spool_parse_run(const char *name, const char *text, Arena *arena, Run *run, Message *why)
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
