#include "service/store/spool.h"

#include "base/hash.h"
#include "base/json.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum RecordKind {
    RECORD_TEXT,          /* const char * */
    RECORD_OPTIONAL_TEXT, /* likewise */
    RECORD_INTEGER,       /* int64_t, from 0 to 2^53 */
    RECORD_COUNT,         /* int, from 0 to 10^9 */
    RECORD_NUMBER,        /* double */
    RECORD_FORMAT,        /* no member: always 1 */
    RECORD_OTHER          /* no member: an optional key that the caller reads and writes */
} RecordKind;

typedef struct RecordField {
    const char *key;
    RecordKind kind;
    size_t offset; /* of the member */
} RecordField;

enum { SPOOL_PATH_BYTES = 4096 };

typedef struct SpoolPath {
    char text[SPOOL_PATH_BYTES];
} SpoolPath;

typedef struct SpoolEntry { /* a file "J-N.ENDING" */
    SpoolId id;
    char ending[SPOOL_WORKER_BYTES + 1]; /* "json", or the name of a worker */
} SpoolEntry;

typedef enum SpoolSync { SPOOL_NOT_SYNCED, SPOOL_SYNCED } SpoolSync;

/* ==== record ====================================================================================================== */

/* A struct as a JSON object: one row for each member, for reading and for writing.
 *
 * Texts are UTF-8. An optional text that is NULL is left out, and NULL where it is missing. */

enum { FORMAT = 1, MOST_FIELDS = 32, MOST_COUNT = 1000000000 };
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
        case RECORD_FORMAT: cJSON_AddNumberToObject(object, field->key, FORMAT); break;
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
    case RECORD_FORMAT: return json_integer(file, object, field->key, FORMAT, FORMAT, &integer, why);
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

/* ==== spool files ================================================================================================= */

/* The names of the spool's files, and how a file comes into being: whole, or not at all. */

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* SPOOL/FOLDER; SPOOL/FOLDER/J-N.ENDING; SPOOL/FOLDER/.J-N.ENDING, the name of a file that is being written. */
static SpoolPath spool_folder(const char *spool, const char *folder)
{
    SpoolPath path;
    snprintf(path.text, sizeof path.text, "%.*s/%s", (int)sizeof path.text - 32, spool, folder);
    return path;
}

static SpoolPath path_of(const char *spool, const char *folder, const char *dot, SpoolId id, const char *ending)
{
    SpoolPath path;
    snprintf(path.text, sizeof path.text, "%s/%s/%s%" PRId64 "-%d.%s", spool, folder, dot, id.judging, id.attempt,
             ending);
    return path;
}

static SpoolPath spool_path(const char *spool, const char *folder, SpoolId id, const char *ending)
{
    return path_of(spool, folder, "", id, ending);
}

static SpoolPath spool_temporary(const char *spool, const char *folder, SpoolId id, const char *ending)
{
    return path_of(spool, folder, ".", id, ending);
}

static SpoolPath worker_path(const char *spool, const char *folder, const char *dot, const char *worker)
{
    SpoolPath path;
    snprintf(path.text, sizeof path.text, "%s/%s/%s%s", spool, folder, dot, worker);
    return path;
}

/* SPOOL/FOLDER/WORKER, and SPOOL/FOLDER/.WORKER while it is being written. */
static SpoolPath spool_worker_path(const char *spool, const char *folder, const char *worker)
{
    return worker_path(spool, folder, "", worker);
}

static SpoolPath spool_worker_temporary(const char *spool, const char *folder, const char *worker)
{
    return worker_path(spool, folder, ".", worker);
}

/* A number as the spool writes it: from 1, without zeros in front. */
static bool read_number(const char **at, int64_t most, char after, int64_t *number)
{
    char *end;
    if (**at < '1' || **at > '9')
        return false;
    errno = 0;
    *number = strtoll(*at, &end, 10);
    if (errno != 0 || *number > most || *end != after)
        return false;
    *at = end + 1;
    return true;
}

static bool read_name(const char *name, SpoolEntry *entry)
{
    int64_t attempt;
    if (!read_number(&name, INT64_MAX, '-', &entry->id.judging) || !read_number(&name, INT32_MAX, '.', &attempt) ||
        !spool_worker_is_valid(name))
        return false;
    entry->id.attempt = (int)attempt;
    strcpy(entry->ending, name);
    return true;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static Status write_all(int file, const SpoolPath *path, const Text *text, SpoolSync sync, Message *why)
{
    for (size_t done = 0; done < text->length;) {
        ssize_t count = write(file, text->data + done, text->length - done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return fail_errno(why, "%s: cannot be written", path->text);
        done += (size_t)count;
    }
    if (sync == SPOOL_SYNCED && fsync(file) != 0)
        return fail_errno(why, "%s: cannot be written", path->text);
    return STATUS_OK;
}

/* On a network file system close() is what tells of a full disk. */
static Status write_new(const SpoolPath *path, const Text *text, SpoolSync sync, Message *why)
{
    int file = open(path->text, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return fail_errno(why, "%s: cannot be written", path->text);
    Status status = write_all(file, path, text, sync, why);
    if (close(file) != 0 && status == STATUS_OK)
        status = fail_errno(why, "%s: cannot be written", path->text);
    return status;
}

static Status sync_folder(const SpoolPath *path, Message *why)
{
    int file = open(path->text, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    Status status = file < 0 || (fsync(file) != 0 && errno != EINVAL)
                        ? fail_errno(why, "%s: cannot be synced", path->text)
                        : STATUS_OK;
    if (file >= 0)
        close(file);
    return status;
}

static Status put(const SpoolPath *temporary, const SpoolPath *path, const Text *text, SpoolSync sync, Message *why)
{
    Status status = write_new(temporary, text, sync, why);
    if (status == STATUS_OK && rename(temporary->text, path->text) != 0)
        status = fail_errno(why, "%s: cannot be renamed", temporary->text);
    if (status != STATUS_OK)
        unlink(temporary->text);
    return status;
}

/* Writes a file that only its owner may read, whether there is one already or not. Synced, file and folder survive a crash
 * of the machine. */
static MUST_USE Status spool_put(const char *spool, const char *folder, SpoolId id, const char *ending,
                                 const Text *text, SpoolSync sync, Message *why)
{
    const SpoolPath place = spool_folder(spool, folder), path = spool_path(spool, folder, id, ending),
                    temporary = spool_temporary(spool, folder, id, ending);
    Status status = put(&temporary, &path, text, sync, why);
    return status == STATUS_OK && sync == SPOOL_SYNCED ? sync_folder(&place, why) : status;
}

/* The same for a file of a worker, which need not survive a crash of the machine. */
static MUST_USE Status spool_put_worker(const char *spool, const char *folder, const char *worker, const Text *text,
                                        Message *why)
{
    const SpoolPath path = spool_worker_path(spool, folder, worker),
                    temporary = spool_worker_temporary(spool, folder, worker);
    return put(&temporary, &path, text, SPOOL_NOT_SYNCED, why);
}

/* All names of a folder, without the dot of those that are being written. */
static Status list_names(const char *spool, const char *folder, bool unfinished, Arena *arena, const char ***names,
                         size_t *count, Message *why)
{
    const SpoolPath path = spool_folder(spool, folder);
    size_t capacity = 0;
    DIR *listing = opendir(path.text);
    *names = NULL;
    *count = 0;
    if (listing == NULL)
        return fail_errno(why, "%s: cannot be read", path.text);
    const struct dirent *item;
    while (errno = 0, (item = readdir(listing)) != NULL) {
        if ((item->d_name[0] == '.') != unfinished)
            continue;
        *names = arena_grown(arena, *names, *count, &capacity, sizeof **names);
        (*names)[(*count)++] = arena_string(arena, item->d_name + unfinished);
    }
    Status status = errno == 0 ? STATUS_OK : fail_errno(why, "%s: cannot be read", path.text);
    closedir(listing);
    return status;
}

/* The files of a folder whose names fit; with `unfinished`, those that are being written. */
static MUST_USE Status spool_list(const char *spool, const char *folder, bool unfinished, Arena *arena,
                                  SpoolEntry **entries, size_t *count, Message *why)
{
    const char **names;
    size_t name_count;
    Status status = list_names(spool, folder, unfinished, arena, &names, &name_count, why);
    *entries = arena_array(arena, name_count, sizeof **entries);
    *count = 0;
    for (size_t i = 0; i < name_count; i++)
        if (read_name(names[i], &(*entries)[*count]))
            ++*count;
    return status;
}

/* The workers that have a file in a folder; with `unfinished`, those whose file is being written. */
static MUST_USE Status spool_list_workers(const char *spool, const char *folder, bool unfinished, Arena *arena,
                                          const char ***workers, size_t *count, Message *why)
{
    size_t name_count;
    Status status = list_names(spool, folder, unfinished, arena, workers, &name_count, why);
    *count = 0;
    for (size_t i = 0; i < name_count; i++)
        if (spool_worker_is_valid((*workers)[i]))
            (*workers)[(*count)++] = (*workers)[i];
    return status;
}

/* Removes a file; a missing one is no error. */
static MUST_USE Status spool_remove(const SpoolPath *path, Message *why)
{
    if (unlink(path->text) == 0 || errno == ENOENT)
        return STATUS_OK;
    return fail_errno(why, "%s: cannot be removed", path->text);
}

/* Whether there is such a file, by listing its folder: asked for a single name, a network file system answers from what it
 * remembers for a while, also that there was none. False with errno ENOENT: there is none; with another one: nobody knows. */
static bool spool_exists(const SpoolPath *path)
{
    SpoolPath folder = *path;
    char *const slash = strrchr(folder.text, '/');
    *slash = '\0';
    DIR *names = opendir(folder.text);
    if (names == NULL)
        return false;
    const struct dirent *item;
    while (errno = 0, (item = readdir(names)) != NULL && strcmp(item->d_name, slash + 1) != 0)
        ;
    const int error = errno;
    closedir(names);
    errno = item != NULL ? 0 : error != 0 ? error : ENOENT;
    return item != NULL;
}

/* ==== spool record ================================================================================================ */

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

/* ==== spool idle ================================================================================================== */

static const char *const FOLDER = "idle";

Status spool_show_idle(const char *spool, const SpoolIdle *idle, Message *why)
{
    Text text = {0};
    spool_write_idle(idle, &text);
    Status status = spool_put_worker(spool, FOLDER, idle->worker, &text, why);
    text_free(&text);
    return status;
}

Status spool_forget_idle(const char *spool, const char *worker, Message *why)
{
    const SpoolPath path = spool_worker_path(spool, FOLDER, worker),
                    unfinished = spool_worker_temporary(spool, FOLDER, worker);
    Status status = spool_remove(&unfinished, why);
    return status == STATUS_OK ? spool_remove(&path, why) : status;
}

Status spool_list_idle(const char *spool, Arena *arena, SpoolIdle **idle, size_t *count, Message *why)
{
    const char **workers;
    Status status = spool_list_workers(spool, FOLDER, false, arena, &workers, count, why);
    *idle = arena_array(arena, *count, sizeof **idle);
    for (size_t i = 0; i < *count && status == STATUS_OK; i++) {
        SpoolIdle *one = &(*idle)[i];
        Message ignored;
        const SpoolPath path = spool_worker_path(spool, FOLDER, workers[i]);
        *one = (SpoolIdle){.device = "", .device_name = ""};
        strcpy(one->worker, workers[i]);
        if (spool_read_idle(path.text, arena, one, &ignored) != STATUS_OK)
            one->count = 0;
    }
    return status;
}

Status spool_sweep_idle(const char *spool, Message *why)
{
    Arena arena = {0};
    const char **workers;
    size_t count;
    Status status = spool_list_workers(spool, FOLDER, true, &arena, &workers, &count, why);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        const SpoolPath path = spool_worker_temporary(spool, FOLDER, workers[i]);
        status = spool_remove(&path, why);
    }
    arena_free(&arena);
    return status;
}

/* ==== spool contents ============================================================================================== */

bool spool_worker_is_valid(const char *name)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");
    return length > 0 && length <= SPOOL_WORKER_BYTES && name[length] == '\0';
}

/* ==== spool ======================================================================================================= */

static const char *const subfolders[] = {"ready", "claimed",  "beat",    "done", "idle",
                                         "hold",  "editions", "damaged", NULL};

/* ---- the folder -------------------------------------------------------------------------------------------------- */

/* A source that waits is nobody's business, and who can write here can write results. */
static Status make_private(const char *path, Message *why)
{
    struct stat info;
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return fail_errno(why, "%s: this folder cannot be made", path);
    if (stat(path, &info) != 0)
        return fail_errno(why, "%s: cannot be inspected", path);
    if (!S_ISDIR(info.st_mode))
        return fail(STATUS_BAD_INPUT, why, "%s: expected a folder", path);
    if (info.st_uid != geteuid())
        return fail(STATUS_BAD_INPUT, why, "%s: this folder belongs to the user %u, expected %u, who runs this", path,
                    info.st_uid, geteuid());
    if ((info.st_mode & 077) != 0)
        return fail(STATUS_BAD_INPUT, why, "%s: others may enter this folder (mode %o), expected mode 700", path,
                    info.st_mode & 0777);
    return STATUS_OK;
}

Status spool_make(const char *spool, Message *why)
{
    Status status = strlen(spool) < SPOOL_PATH_BYTES / 2
                        ? make_private(spool, why)
                        : fail(STATUS_BAD_INPUT, why, "%s: a name of %zu bytes, expected less than %d", spool,
                               strlen(spool), SPOOL_PATH_BYTES / 2);
    for (const char *const *name = subfolders; *name != NULL && status == STATUS_OK; name++)
        status = make_private(spool_folder(spool, *name).text, why);
    return status;
}

/* ---- offers ------------------------------------------------------------------------------------------------------ */

Status spool_offer(const char *spool, const SpoolJob *job, Message *why)
{
    Text text = {0};
    spool_write_job(job, &text);
    Status status = spool_put(spool, "ready", job->id, "json", &text, SPOOL_SYNCED, why);
    text_free(&text);
    return status;
}

Status spool_withdraw(const char *spool, SpoolId id, bool *withdrawn, Message *why)
{
    const SpoolPath path = spool_path(spool, "ready", id, "json");
    *withdrawn = unlink(path.text) == 0;
    return *withdrawn || errno == ENOENT ? STATUS_OK : fail_errno(why, "%s: cannot be removed", path.text);
}

/* Reads a job; one whose file is damaged is a job, too. */
static Status take_job(const SpoolPath *path, SpoolId id, Arena *arena, SpoolJob *job, Message *why)
{
    Message damage;
    Status status = spool_read_job(path->text, id, arena, job, &damage);
    if (status == STATUS_BAD_INPUT) {
        *job = (SpoolJob){.id = id, .priority = -INFINITY, .damage = arena_string(arena, damage.text)};
        return STATUS_OK;
    }
    return status == STATUS_OK ? status : fail(status, why, "%s", damage.text);
}

static int compare_ids(SpoolId a, SpoolId b)
{
    if (a.judging != b.judging)
        return a.judging < b.judging ? -1 : 1;
    return (a.attempt > b.attempt) - (a.attempt < b.attempt);
}

static int compare_jobs(const void *a, const void *b)
{
    const SpoolJob *left = a, *right = b;
    if (left->priority != right->priority)
        return left->priority < right->priority ? -1 : 1;
    return compare_ids(left->id, right->id);
}

Status spool_list_ready(const char *spool, Arena *arena, SpoolJob **jobs, size_t *count, Message *why)
{
    SpoolEntry *entries;
    size_t entry_count;
    Status status = spool_list(spool, "ready", false, arena, &entries, &entry_count, why);
    *jobs = arena_array(arena, entry_count, sizeof **jobs);
    *count = 0;
    for (size_t i = 0; i < entry_count && status == STATUS_OK; i++) {
        if (strcmp(entries[i].ending, "json") != 0)
            continue;
        const SpoolPath path = spool_path(spool, "ready", entries[i].id, "json");
        status = take_job(&path, entries[i].id, arena, &(*jobs)[*count], why);
        if (status == STATUS_OK)
            ++*count;
        else if (status == STATUS_NOT_FOUND) /* somebody has taken it meanwhile */
            status = STATUS_OK;
    }
    if (*count > 0)
        qsort(*jobs, *count, sizeof **jobs, compare_jobs);
    return status;
}

/* ---- claims ------------------------------------------------------------------------------------------------------ */

static SpoolPath claim_path(const char *spool, const SpoolClaim *claim)
{
    return spool_path(spool, "claimed", claim->id, claim->worker);
}

/* A network file system can report the failure of a rename that it has carried out: the answer to the first request was
 * lost, and the second request found the file gone. */
Status spool_claim(const char *spool, SpoolId id, const char *worker, bool *claimed, Message *why)
{
    const SpoolPath from = spool_path(spool, "ready", id, "json"), to = spool_path(spool, "claimed", id, worker);
    const bool renamed = rename(from.text, to.text) == 0;
    const int error = errno;
    *claimed = renamed || spool_exists(&to);
    errno = error;
    return *claimed || error == ENOENT ? STATUS_OK : fail_errno(why, "%s: cannot be taken", from.text);
}

Status spool_read_claimed(const char *spool, const SpoolClaim *claim, Arena *arena, SpoolJob *job, Message *why)
{
    const SpoolPath path = claim_path(spool, claim);
    return take_job(&path, claim->id, arena, job, why);
}

bool spool_is_claimed(const char *spool, const SpoolClaim *claim)
{
    const SpoolPath path = claim_path(spool, claim);
    return spool_exists(&path) || errno != ENOENT;
}

/* A beat that cannot be read is like one that is missing: the next one is due within a second. */
Status spool_list_claims(const char *spool, Arena *arena, SpoolClaim **claims, size_t *count, Message *why)
{
    SpoolEntry *entries;
    Status status = spool_list(spool, "claimed", false, arena, &entries, count, why);
    *claims = arena_array(arena, *count, sizeof **claims);
    for (size_t i = 0; i < *count && status == STATUS_OK; i++) {
        SpoolClaim *claim = &(*claims)[i];
        *claim = (SpoolClaim){.id = entries[i].id, .step = ""};
        strcpy(claim->worker, entries[i].ending);
        Message ignored;
        const SpoolPath path = spool_path(spool, "beat", claim->id, claim->worker);
        if (spool_read_beat(path.text, arena, claim, &ignored) != STATUS_OK)
            claim->count = 0;
    }
    return status;
}

Status spool_beat(const char *spool, const SpoolClaim *claim, Message *why)
{
    Text text = {0};
    spool_write_beat(claim, &text);
    Status status = spool_put(spool, "beat", claim->id, claim->worker, &text, SPOOL_NOT_SYNCED, why);
    text_free(&text);
    return status;
}

/* The claim keeps its file, so that a crash loses nothing. */
Status spool_set_aside(const char *spool, const SpoolClaim *claim, Message *why)
{
    const SpoolPath from = claim_path(spool, claim), to = spool_path(spool, "damaged", claim->id, claim->worker);
    if (link(from.text, to.text) == 0 || errno == EEXIST)
        return STATUS_OK;
    return fail_errno(why, "%s: cannot be moved aside", from.text);
}

void spool_release(const char *spool, const SpoolClaim *claim)
{
    const SpoolPath beat = spool_path(spool, "beat", claim->id, claim->worker),
                    unfinished = spool_temporary(spool, "beat", claim->id, claim->worker),
                    claimed = claim_path(spool, claim);
    unlink(beat.text);
    unlink(unfinished.text);
    unlink(claimed.text);
}

/* ---- ends -------------------------------------------------------------------------------------------------------- */

Status spool_finish(const char *spool, const SpoolDone *done, Message *why)
{
    Text text = {0};
    spool_write_done(done, &text);
    Status status = spool_put(spool, "done", done->id, "json", &text, SPOOL_SYNCED, why);
    text_free(&text);
    return status;
}

bool spool_is_done(const char *spool, SpoolId id)
{
    const SpoolPath path = spool_path(spool, "done", id, "json");
    return spool_exists(&path);
}

Status spool_list_done(const char *spool, Arena *arena, SpoolId **ids, size_t *count, Message *why)
{
    SpoolEntry *entries;
    size_t entry_count;
    Status status = spool_list(spool, "done", false, arena, &entries, &entry_count, why);
    *ids = arena_array(arena, entry_count, sizeof **ids);
    *count = 0;
    for (size_t i = 0; i < entry_count; i++)
        if (strcmp(entries[i].ending, "json") == 0)
            (*ids)[(*count)++] = entries[i].id;
    return status;
}

Status spool_read_done(const char *spool, SpoolId id, Arena *arena, SpoolDone *done, Message *why)
{
    const SpoolPath path = spool_path(spool, "done", id, "json"), aside = spool_path(spool, "damaged", id, "json");
    Status status = spool_parse_done(path.text, id, arena, done, why);
    if (status == STATUS_BAD_INPUT && rename(path.text, aside.text) != 0)
        return fail_errno(why, "%s: damaged, and cannot be moved aside", path.text);
    return status;
}

/* ---- what the head decides --------------------------------------------------------------------------------------- */

static bool is_same(SpoolId a, SpoolId b)
{
    return compare_ids(a, b) == 0;
}

/* Removes the files of the attempt in a folder of workers' files. */
static Status forget_in(const char *spool, const char *folder, SpoolId id, Message *why)
{
    Arena arena = {0};
    SpoolEntry *entries;
    size_t count;
    Status status = spool_list(spool, folder, false, &arena, &entries, &count, why);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        const SpoolPath path = spool_path(spool, folder, id, entries[i].ending);
        if (is_same(entries[i].id, id))
            status = spool_remove(&path, why);
    }
    arena_free(&arena);
    return status;
}

/* The end goes last, so that a head that is killed here finds it again and repeats this. */
Status spool_forget(const char *spool, SpoolId id, Message *why)
{
    const SpoolPath ready = spool_path(spool, "ready", id, "json"), done = spool_path(spool, "done", id, "json");
    Status status = spool_remove(&ready, why);
    if (status == STATUS_OK)
        status = forget_in(spool, "claimed", id, why);
    if (status == STATUS_OK)
        status = forget_in(spool, "beat", id, why);
    return status == STATUS_OK ? spool_remove(&done, why) : status;
}

static SpoolPath hold_path(const char *spool, const char *worker)
{
    const SpoolPath folder = spool_folder(spool, "hold");
    return spool_folder(folder.text, worker);
}

Status spool_hold(const char *spool, const char *worker, bool held, Message *why)
{
    const SpoolPath path = hold_path(spool, worker);
    if (!held)
        return spool_remove(&path, why);
    int file = open(path.text, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return fail_errno(why, "%s: cannot be made", path.text);
    close(file);
    return STATUS_OK;
}

bool spool_is_held(const char *spool, const char *worker)
{
    const SpoolPath path = hold_path(spool, worker);
    return spool_exists(&path);
}

void spool_editions_path(const char *spool, char path[SPOOL_EDITIONS_BYTES])
{
    snprintf(path, SPOOL_EDITIONS_BYTES, "%s", spool_folder(spool, "editions").text);
}

/* ---- leftovers --------------------------------------------------------------------------------------------------- */

static bool has_claim(const SpoolEntry *claims, size_t count, SpoolId id)
{
    for (size_t i = 0; i < count; i++)
        if (is_same(claims[i].id, id))
            return true;
    return false;
}

/* Removes the files of a folder, finished or not, of attempts that nobody has claimed. Whoever writes such a file claims
 * first, so the claims are read after the files. */
static Status sweep_folder(const char *spool, const char *folder, bool unfinished, Arena *arena, Message *why)
{
    SpoolEntry *entries, *claims;
    size_t count, claim_count;
    Status status = spool_list(spool, folder, unfinished, arena, &entries, &count, why);
    if (status == STATUS_OK)
        status = spool_list(spool, "claimed", false, arena, &claims, &claim_count, why);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        const SpoolPath path = unfinished ? spool_temporary(spool, folder, entries[i].id, entries[i].ending)
                                          : spool_path(spool, folder, entries[i].id, entries[i].ending);
        if (!has_claim(claims, claim_count, entries[i].id))
            status = spool_remove(&path, why);
    }
    return status;
}

Status spool_sweep(const char *spool, Message *why)
{
    Arena arena = {0};
    Status status = sweep_folder(spool, "ready", true, &arena, why);
    if (status == STATUS_OK)
        status = sweep_folder(spool, "done", true, &arena, why);
    if (status == STATUS_OK)
        status = sweep_folder(spool, "beat", true, &arena, why);
    if (status == STATUS_OK)
        status = sweep_folder(spool, "beat", false, &arena, why);
    if (status == STATUS_OK)
        status = spool_sweep_idle(spool, why);
    arena_free(&arena);
    return status;
}
