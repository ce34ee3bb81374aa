#include "leaderboard/store.h"

#include "base/json.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ==== case times ================================================================================================== */

static void take_case_time(const cJSON *item, Arena *arena, CaseTime *times, size_t *count)
{
    const cJSON *ms = json_get(item, "time_ms"), *uncertainty = json_get(item, "uncertainty");
    const char *name = json_string(item, "name");
    if (name == NULL || !cJSON_IsNumber(ms) || !(ms->valuedouble > 0))
        return;
    times[(*count)++] = (CaseTime){
        .name = arena_string(arena, name),
        .time = {.ms = ms->valuedouble, .uncertainty = cJSON_IsNumber(uncertainty) ? uncertainty->valuedouble : 0}};
}

Status case_times_read(const char *path, const char *cases, Arena *arena, CaseTime **times, size_t *count, Message *why)
{
    JsonFile file;
    Text text = {0};
    *times = NULL;
    *count = 0;
    text_printf(&text, "{\"cases\": %s}", cases == NULL ? "[]" : cases); /* a JsonFile is always an object */
    Status status = json_parse(path, text.data, text.length, &file, why);
    if (status == STATUS_OK) {
        const cJSON *list = json_get(file.root, "cases"), *item;
        *times = arena_array(arena, (size_t)cJSON_GetArraySize(list), sizeof **times);
        cJSON_ArrayForEach(item, list)
        {
            take_case_time(item, arena, *times, count);
        }
        json_free(&file);
    }
    text_free(&text);
    return status;
}

const MeasuredTime *case_times_find(const CaseTime *times, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(times[i].name, name) == 0)
            return &times[i].time;
    return NULL;
}

/* ==== percentile ================================================================================================== */

bool time_is_faster(MeasuredTime a, MeasuredTime b)
{
    return b.ms - a.ms > hypot(a.ms * a.uncertainty, b.ms * b.uncertainty);
}

Percentile percentile_among(MeasuredTime mine, const MeasuredTime *others, size_t n)
{
    Percentile result = {.n = n};
    for (size_t i = 0; i < n; i++) {
        if (time_is_faster(mine, others[i]))
            result.slower++;
        else if (time_is_faster(others[i], mine))
            result.faster++;
        else
            result.tied++;
    }
    if (n > 0) {
        result.value = 100 * ((double)result.slower + (double)result.tied / 2) / (double)n;
        result.low = 100 * (double)result.slower / (double)n;
        result.high = 100 * (double)(result.slower + result.tied) / (double)n;
    }
    return result;
}

/* ==== references ================================================================================================== */

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

static Status take_reference_time(const JsonFile *file, const cJSON *item, Arena *arena, ReferenceTime *time,
                                  Message *why)
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
        status = take_reference_time(file, item, arena, &part->times[part->count++], why);
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

/* ==== standing ==================================================================================================== */

static double median(double *numbers, size_t count)
{
    qsort(numbers, count, sizeof *numbers, order_numbers);
    return count % 2 == 1 ? numbers[count / 2] : (numbers[count / 2 - 1] + numbers[count / 2]) / 2;
}

static MeasuredTime median_time(const StoredRun *runs, size_t count)
{
    Arena arena = {0};
    double *ms = arena_array(&arena, count, sizeof *ms), *uncertainty = arena_array(&arena, count, sizeof *uncertainty);
    for (size_t i = 0; i < count; i++) {
        ms[i] = runs[i].time.ms;
        uncertainty[i] = runs[i].time.uncertainty;
    }
    MeasuredTime time = {.ms = median(ms, count), .uncertainty = median(uncertainty, count)};
    arena_free(&arena);
    return time;
}

/* Runs that compare equal are pooled. */
static int by_pool(const void *a, const void *b)
{
    const StoredRun *x = a, *y = b;
    int order = strcmp(x->person, y->person);
    return order == 0 ? strcmp(x->machine_code, y->machine_code) : order;
}

/* Copies the runs and gives each the pooled time of its person and code. */
static StoredRun *pooled_runs(const StoredRun *runs, size_t count, Arena *arena)
{
    StoredRun *pooled = arena_array(arena, count, sizeof *pooled);
    if (count > 0)
        memcpy(pooled, runs, count * sizeof *pooled);
    qsort(pooled, count, sizeof *pooled, by_pool);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && by_pool(&pooled[first], &pooled[end]) == 0; end++)
            ;
        MeasuredTime time = median_time(pooled + first, end - first);
        for (size_t i = first; i < end; i++)
            pooled[i].time = time;
    }
    return pooled;
}

bool pooled_time(const StoredRun *runs, size_t run_count, const char *person, const char *machine_code,
                 MeasuredTime *pooled)
{
    Arena arena = {0};
    StoredRun *all = pooled_runs(runs, run_count, &arena);
    const StoredRun wanted = {.person = person, .machine_code = machine_code};
    const StoredRun *found = run_count == 0 ? NULL : bsearch(&wanted, all, run_count, sizeof *all, by_pool);
    if (found != NULL)
        *pooled = found->time;
    arena_free(&arena);
    return found != NULL;
}

/* Sorts by person, then the fastest first, and of equally fast runs the latest first. */
static int by_person(const void *a, const void *b)
{
    const StoredRun *x = a, *y = b;
    int order = strcmp(x->person, y->person);
    if (order == 0)
        order = order_numbers(&x->time.ms, &y->time.ms);
    return order == 0 ? strcmp(y->time_utc, x->time_utc) : order;
}

static int by_time(const void *a, const void *b)
{
    const Standing *x = a, *y = b;
    int order = order_numbers(&x->time.ms, &y->time.ms);
    return order == 0 ? strcmp(x->person, y->person) : order;
}

static void assign_ranks(Standing *standings, size_t count)
{
    Arena arena = {0};
    MeasuredTime *others = arena_array(&arena, count, sizeof *others);
    for (size_t i = 0; i < count; i++) {
        size_t other_count = 0;
        for (size_t k = 0; k < count; k++)
            if (k != i)
                others[other_count++] = standings[k].time;
        standings[i].percentile = percentile_among(standings[i].time, others, other_count);
        standings[i].rank = 1 + standings[i].percentile.faster;
    }
    arena_free(&arena);
}

Standing *standings_of(const StoredRun *runs, size_t run_count, Arena *arena, size_t *count)
{
    StoredRun *pooled = pooled_runs(runs, run_count, arena);
    Standing *standings = arena_array(arena, run_count, sizeof *standings);
    *count = 0;
    qsort(pooled, run_count, sizeof *pooled, by_person);
    for (size_t i = 0; i < run_count; i++)
        if (i == 0 || strcmp(pooled[i].person, pooled[i - 1].person) != 0)
            standings[(*count)++] = (Standing){pooled[i].person, pooled[i].time_utc, pooled[i].time, 0, {0},
                                               pooled[i].id};
    qsort(standings, *count, sizeof *standings, by_time);
    assign_ranks(standings, *count);
    return standings;
}
