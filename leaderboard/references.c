#include "leaderboard/references.h"

#include "base/json.h"
#include "leaderboard/case_times.h"

#include <string.h>
#include <unistd.h>

enum { SCHEMA = 1, MAX_FILE_BYTES = 16 * 1024 * 1024 };

static const JsonKey file_keys[] = {
    {"schema", JSON_NUMBER, true},
    {"device", JSON_STRING, true},
    {"epoch", JSON_NUMBER, true},
    {"problems", JSON_ARRAY, true},
};

static const JsonKey problem_keys[] = {
    {"problem", JSON_STRING, true},
    {"revision", JSON_STRING, true},
    {"references", JSON_ARRAY, true},
};

static const JsonKey reference_keys[] = {
    {"name", JSON_STRING, true},     {"source_hash", JSON_STRING, true}, {"time_utc", JSON_STRING, true},
    {"score_ms", JSON_NUMBER, true}, {"uncertainty", JSON_NUMBER, true}, {"cases", JSON_ARRAY, false},
};

static const JsonKey case_keys[] = {
    {"name", JSON_STRING, true},
    {"time_ms", JSON_NUMBER, true},
    {"uncertainty", JSON_NUMBER, true},
};

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

typedef struct ReferencePart { /* the part of a file with the times of one problem */
    Board board;
    ReferenceTime *times;
    size_t count;
} ReferencePart;

typedef struct ReferenceParts {
    ReferencePart *items;
    size_t count;
} ReferenceParts;

/* Files that were written by an older version have no times of cases. */
static Status take_cases(const JsonFile *file, const cJSON *list, Arena *arena, ReferenceTime *time, Message *why)
{
    Text text = {0};
    double ms, uncertainty;
    Status status = STATUS_OK;
    for (const cJSON *item = list == NULL ? NULL : list->child; item != NULL && status == STATUS_OK;
         item = item->next) {
        status = json_check(file, item, case_keys, COUNT_OF(case_keys), why);
        if (status == STATUS_OK)
            status = json_number(file, item, "time_ms", 1e-9, 1e9, &ms, why);
        if (status == STATUS_OK)
            status = json_number(file, item, "uncertainty", 0, 1, &uncertainty, why);
    }
    if (status == STATUS_OK && list != NULL) {
        json_print(list, &text);
        time->cases = arena_string(arena, text.data);
    }
    text_free(&text);
    return status;
}

static Status take_time(const JsonFile *file, const cJSON *item, Arena *arena, ReferenceTime *time, Message *why)
{
    Status status = json_check(file, item, reference_keys, COUNT_OF(reference_keys), why);
    if (status == STATUS_OK)
        status = json_number(file, item, "score_ms", 1e-9, 1e9, &time->time.ms, why);
    if (status == STATUS_OK)
        status = json_number(file, item, "uncertainty", 0, 1, &time->time.uncertainty, why);
    if (status == STATUS_OK)
        status = take_cases(file, json_get(item, "cases"), arena, time, why);
    if (status != STATUS_OK)
        return status;
    time->name = arena_string(arena, json_string(item, "name"));
    time->source_hash = arena_string(arena, json_string(item, "source_hash"));
    time->time_utc = arena_string(arena, json_string(item, "time_utc"));
    return STATUS_OK;
}

static Status take_part(const JsonFile *file, const cJSON *problem, Arena *arena, ReferencePart *part, Message *why)
{
    Status status = json_check(file, problem, problem_keys, COUNT_OF(problem_keys), why);
    if (status != STATUS_OK)
        return status;
    const cJSON *list = json_get(problem, "references"), *item;
    part->board.problem = arena_string(arena, json_string(problem, "problem"));
    part->board.revision = arena_string(arena, json_string(problem, "revision"));
    part->times = arena_array(arena, (size_t)cJSON_GetArraySize(list), sizeof *part->times);
    cJSON_ArrayForEach(item, list)
    {
        status = take_time(file, item, arena, &part->times[part->count++], why);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

static Status take_parts(const JsonFile *file, const char *device, Arena *arena, ReferenceParts *parts, Message *why)
{
    int64_t schema, epoch = 0;
    Status status = json_check(file, file->root, file_keys, COUNT_OF(file_keys), why);
    if (status == STATUS_OK)
        status = json_integer(file, file->root, "schema", SCHEMA, SCHEMA, &schema, why);
    if (status == STATUS_OK)
        status = json_integer(file, file->root, "epoch", 0, INT32_MAX, &epoch, why);
    if (status == STATUS_OK && strcmp(json_string(file->root, "device"), device) != 0)
        status = json_fail(file, json_get(file->root, "device"), why, "expected \"%s\", as the file is named", device);
    if (status != STATUS_OK)
        return status;
    const cJSON *list = json_get(file->root, "problems"), *problem;
    parts->items = arena_array(arena, (size_t)cJSON_GetArraySize(list), sizeof *parts->items);
    cJSON_ArrayForEach(problem, list)
    {
        ReferencePart *part = &parts->items[parts->count++];
        part->board = (Board){.device = device, .epoch = (int)epoch};
        status = take_part(file, problem, arena, part, why);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

static Status read_parts(const char *path, const char *device, Arena *arena, ReferenceParts *parts, Message *why)
{
    JsonFile file;
    *parts = (ReferenceParts){0};
    if (access(path, F_OK) != 0)
        return STATUS_OK;
    Status status = json_read(path, MAX_FILE_BYTES, &file, why);
    if (status != STATUS_OK)
        return status;
    status = take_parts(&file, device, arena, parts, why);
    json_free(&file);
    return status;
}

Status references_read(const char *path, const Board *board, Arena *arena, ReferenceTime **times, size_t *count,
                       Message *why)
{
    ReferenceParts parts;
    *times = NULL;
    *count = 0;
    Status status = read_parts(path, board->device, arena, &parts, why);
    for (size_t i = 0; status == STATUS_OK && i < parts.count; i++) {
        const ReferencePart *part = &parts.items[i];
        if (part->board.epoch == board->epoch && strcmp(part->board.problem, board->problem) == 0 &&
            strcmp(part->board.revision, board->revision) == 0) {
            *times = part->times;
            *count = part->count;
        }
    }
    return status;
}

/* The samples stay in the database of the machine that took them. */
static Status put_cases(cJSON *object, const ReferenceTime *reference, Message *why)
{
    Arena arena = {0};
    CaseTime *times;
    size_t count;
    Status status = case_times_read(reference->name, reference->cases, &arena, &times, &count, why);
    cJSON *list = status == STATUS_OK && count > 0 ? cJSON_AddArrayToObject(object, "cases") : NULL;
    for (size_t i = 0; list != NULL && i < count; i++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", times[i].name);
        json_put_number(item, "time_ms", times[i].time.ms);
        json_put_number(item, "uncertainty", times[i].time.uncertainty);
        cJSON_AddItemToArray(list, item);
    }
    arena_free(&arena);
    return status;
}

static Status put_part(cJSON *parts, const Board *board, const ReferenceTime *times, size_t count, Message *why)
{
    Status status = STATUS_OK;
    cJSON *problem = cJSON_CreateObject();
    cJSON_AddStringToObject(problem, "problem", board->problem);
    cJSON_AddStringToObject(problem, "revision", board->revision);
    cJSON *list = cJSON_AddArrayToObject(problem, "references");
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", times[i].name);
        cJSON_AddStringToObject(item, "source_hash", times[i].source_hash);
        cJSON_AddStringToObject(item, "time_utc", times[i].time_utc);
        json_put_number(item, "score_ms", times[i].time.ms);
        json_put_number(item, "uncertainty", times[i].time.uncertainty);
        status = put_cases(item, &times[i], why);
        cJSON_AddItemToArray(list, item);
    }
    cJSON_AddItemToArray(parts, problem);
    return status;
}

Status references_write(const char *path, const Board *board, const ReferenceTime *times, size_t count, Message *why)
{
    Arena arena = {0};
    ReferenceParts parts;
    Text text = {0};
    Status status = read_parts(path, board->device, &arena, &parts, why);
    if (status == STATUS_OK) {
        cJSON *root = cJSON_CreateObject();
        cJSON_AddNumberToObject(root, "schema", SCHEMA);
        cJSON_AddStringToObject(root, "device", board->device);
        cJSON_AddNumberToObject(root, "epoch", board->epoch);
        cJSON *list = cJSON_AddArrayToObject(root, "problems");
        for (size_t i = 0; i < parts.count && status == STATUS_OK; i++) {
            const ReferencePart *part = &parts.items[i];
            if (part->board.epoch == board->epoch && strcmp(part->board.problem, board->problem) != 0)
                status = put_part(list, &part->board, part->times, part->count, why);
        }
        if (status == STATUS_OK)
            status = put_part(list, board, times, count, why);
        json_print(root, &text);
        cJSON_Delete(root);
    }
    if (status == STATUS_OK)
        status = text_write_file(path, &text, why);
    text_free(&text);
    arena_free(&arena);
    return status;
}
