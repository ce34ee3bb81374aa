#include "leaderboard/store.h"

#include "base/json.h"
#include "base/record.h"
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

static Percentile percentile_of(size_t n, size_t slower, size_t faster)
{
    Percentile result = {.n = n, .slower = slower, .faster = faster, .tied = n - slower - faster};
    if (n > 0) {
        result.value = 100 * ((double)slower + (double)result.tied / 2) / (double)n;
        result.low = 100 * (double)slower / (double)n;
        result.high = 100 * (double)(slower + result.tied) / (double)n;
    }
    return result;
}

Percentile percentile_among(MeasuredTime mine, const MeasuredTime *others, size_t n)
{
    size_t slower = 0, faster = 0;
    for (size_t i = 0; i < n; i++) {
        slower += time_is_faster(mine, others[i]);
        faster += time_is_faster(others[i], mine);
    }
    return percentile_of(n, slower, faster);
}

/* ---- all among all, without comparing all pairs ------------------------------------------------------------------ */

/* A merge sort tree: the times in the order of their uncertainty, and for each half, quarter and so on of them the
 * milliseconds in order. `a` is faster than those of a part that lie behind a certain place, and that place moves with the
 * uncertainty; where it is the same for the least and the largest of the part, the part need not be looked into. */
typedef struct TimeTree {
    const MeasuredTime *times; /* [count] by uncertainty */
    double **ms;               /* [levels][count] level 0: each time a part of its own; the last: all are one part */
    size_t count;
} TimeTree;

static int by_uncertainty(const void *a, const void *b)
{
    const MeasuredTime *x = a, *y = b;
    return order_numbers(&x->uncertainty, &y->uncertainty);
}

static void merge(const double *a, size_t a_count, const double *b, size_t b_count, double *merged)
{
    for (size_t i = 0, k = 0; i < a_count || k < b_count;)
        *merged++ = k == b_count || (i < a_count && a[i] <= b[k]) ? a[i++] : b[k++];
}

static int tree_levels(size_t count)
{
    int levels = 1;
    while ((size_t)1 << (levels - 1) < count)
        levels++;
    return levels;
}

static TimeTree tree_of(const MeasuredTime *times, size_t count, Arena *arena)
{
    MeasuredTime *sorted = arena_array(arena, count, sizeof *sorted);
    memcpy(sorted, times, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_uncertainty);
    const int levels = tree_levels(count);
    TimeTree tree = {sorted, arena_array(arena, (size_t)levels, sizeof *tree.ms), count};
    for (int level = 0; level < levels; level++) {
        double *ms = tree.ms[level] = arena_array(arena, count, sizeof *ms);
        const size_t half = level == 0 ? 0 : (size_t)1 << (level - 1);
        for (size_t i = 0; level == 0 && i < count; i++)
            ms[i] = sorted[i].ms;
        for (size_t first = 0; level > 0 && first < count; first += 2 * half) {
            const size_t left = count - first < half ? count - first : half;
            const size_t right = count - first - left < half ? count - first - left : half;
            const double *below = tree.ms[level - 1] + first;
            merge(below, left, below + left, right, ms + first);
        }
    }
    return tree;
}

static bool mine_is_faster(MeasuredTime mine, MeasuredTime other)
{
    return time_is_faster(mine, other);
}

static bool mine_is_not_slower(MeasuredTime mine, MeasuredTime other)
{
    return !time_is_faster(other, mine);
}

typedef bool Relation(MeasuredTime mine, MeasuredTime other);

/* How many of `count` ascending times do not have the relation, which all after them have. */
static size_t count_before(Relation *relation, MeasuredTime mine, const double *ms, size_t count, double uncertainty)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (relation(mine, (MeasuredTime){ms[middle], uncertainty}))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* How many times of the part that begins at `first` do not have the relation. */
static size_t tree_count(const TimeTree *tree, int level, size_t first, Relation *relation, MeasuredTime mine)
{
    if (first >= tree->count)
        return 0;
    const size_t width = (size_t)1 << level, count = tree->count - first < width ? tree->count - first : width;
    const double *ms = tree->ms[level] + first;
    const size_t by_first = count_before(relation, mine, ms, count, tree->times[first].uncertainty);
    const size_t by_last = count_before(relation, mine, ms, count, tree->times[first + count - 1].uncertainty);
    if (by_first == by_last)
        return by_first;
    return tree_count(tree, level - 1, first, relation, mine) +
           tree_count(tree, level - 1, first + width / 2, relation, mine);
}

void percentiles_among_all(const MeasuredTime *times, size_t count, Percentile *percentiles)
{
    if (count == 0)
        return;
    Arena arena = {0};
    const TimeTree tree = tree_of(times, count, &arena);
    const int top = tree_levels(count) - 1;
    for (size_t i = 0; i < count; i++) {
        const size_t faster = tree_count(&tree, top, 0, mine_is_not_slower, times[i]);
        const size_t not_slower = tree_count(&tree, top, 0, mine_is_faster, times[i]);
        percentiles[i] = percentile_of(count - 1, count - not_slower, faster);
    }
    arena_free(&arena);
}

/* ==== references ================================================================================================== */

enum { MAX_FILE_BYTES = 16 * 1024 * 1024 };

typedef struct ReferencePart { /* the part of a file with the times of one problem */
    Board board;
    ReferenceTime *times;
    size_t count;
} ReferencePart;

typedef struct ReferenceParts {
    const char *device;
    int epoch;
    ReferencePart *items;
    size_t count;
} ReferenceParts;

static Status take_cases(const RecordReading *reading, const cJSON *list, const RecordRow *row, void *record);
static void put_cases(cJSON *object, const RecordRow *row, const void *record, const void *root);

/* clang-format off */

RECORD(case_table, CaseTime,
    ROW(CaseTime, name, "name", .required = true),
    ROW(CaseTime, time.ms, "time_ms", .required = true, .low = 1e-9, .high = 1e9),
    ROW(CaseTime, time.uncertainty, "uncertainty", .required = true, .low = 0, .high = 1));

RECORD(reference_table, ReferenceTime,
    ROW(ReferenceTime, name, "name", .required = true),
    ROW(ReferenceTime, source_hash, "source_hash", .required = true, .about = "file in `accepted/`; hash of its text: a changed source has no time"),
    ROW(ReferenceTime, time_utc, "time_utc", .required = true),
    ROW(ReferenceTime, time.ms, "score_ms", .required = true, .low = 1e-9, .high = 1e9),
    ROW(ReferenceTime, time.uncertainty, "uncertainty", .required = true, .low = 0, .high = 1, .about = "as in result.json"),
    ROW_HAND("cases", .json = JSON_ARRAY, .take = take_cases, .put = put_cases, .about = "timed cases: `name`, `time_ms`, `uncertainty`; absent in files of older versions"));

RECORD(part_table, ReferencePart,
    ROW(ReferencePart, board.problem, "problem", .required = true),
    ROW(ReferencePart, board.revision, "revision", .required = true, .about = "what the times belong to"),
    ROW_LIST(ReferencePart, times, count, "references", reference_table, .required = true));

RECORD_PUBLIC(references_table, ReferenceParts,
    ROW_SCHEMA("schema", 1),
    ROW(ReferenceParts, device, "device", .required = true),
    ROW(ReferenceParts, epoch, "epoch", .required = true, .low = 0, .high = INT32_MAX, .about = "id, as in the file's name; epoch of the times"),
    ROW_LIST(ReferenceParts, items, count, "problems", part_table, .required = true));

/* clang-format on */

static Status take_cases(const RecordReading *reading, const cJSON *list, const RecordRow *row, void *record)
{
    Text text = {0};
    CaseTime time;
    Status status = STATUS_OK;
    for (const cJSON *item = list->child; item != NULL && status == STATUS_OK; item = item->next)
        status = record_read(&case_table, reading->file, item, NULL, &time, reading->why);
    json_print(list, &text);
    ((ReferenceTime *)record)->cases = text_move(&text, reading->arena);
    return status;
}

/* The samples stay in the database of the machine that took them. */
static void put_cases(cJSON *object, const RecordRow *row, const void *record, const void *root)
{
    const ReferenceTime *reference = record;
    Arena arena = {0};
    CaseTime *times;
    size_t count;
    Status status = case_times_read(reference->name, reference->cases, &arena, &times, &count, NULL);
    cJSON *list = status == STATUS_OK && count > 0 ? cJSON_AddArrayToObject(object, row->key) : NULL;
    for (size_t i = 0; list != NULL && i < count; i++) {
        cJSON *item = cJSON_CreateObject();
        record_write(&case_table, &times[i], item);
        cJSON_AddItemToArray(list, item);
    }
    arena_free(&arena);
}

static Status read_parts(const char *path, const char *device, Arena *arena, ReferenceParts *parts, Message *why)
{
    JsonFile file;
    *parts = (ReferenceParts){0};
    if (access(path, F_OK) != 0)
        return STATUS_OK;
    TRY(json_read(path, MAX_FILE_BYTES, &file, why));
    Status status = record_read(&references_table, &file, file.root, arena, parts, why);
    if (status == STATUS_OK && strcmp(parts->device, device) != 0)
        status = json_fail(&file, json_get(file.root, "device"), why, "expected \"%s\", as the file is named", device);
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
    for (size_t i = 0; status == STATUS_OK && i < parts.count && parts.epoch == board->epoch; i++) {
        const ReferencePart *part = &parts.items[i];
        if (strcmp(part->board.problem, board->problem) == 0 && strcmp(part->board.revision, board->revision) == 0) {
            *times = part->times;
            *count = part->count;
        }
    }
    return status;
}

static Status check_cases(const ReferenceTime *times, size_t count, Message *why)
{
    Arena arena = {0};
    CaseTime *cases;
    size_t case_count;
    Status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = case_times_read(times[i].name, times[i].cases, &arena, &cases, &case_count, why);
    arena_free(&arena);
    return status;
}

Status references_write(const char *path, const Board *board, const ReferenceTime *times, size_t count, Message *why)
{
    Arena arena = {0};
    ReferenceParts old, parts = {.device = board->device, .epoch = board->epoch};
    Text text = {0};
    Status status = read_parts(path, board->device, &arena, &old, why);
    THEN(status, check_cases(times, count, why));
    if (status == STATUS_OK) {
        parts.items = arena_array(&arena, old.count + 1, sizeof *parts.items);
        for (size_t i = 0; i < old.count && old.epoch == board->epoch; i++)
            if (strcmp(old.items[i].board.problem, board->problem) != 0)
                parts.items[parts.count++] = old.items[i];
        parts.items[parts.count] = (ReferencePart){.board = *board, .count = count};
        parts.items[parts.count].times = arena_array(&arena, count, sizeof *times);
        if (count > 0)
            memcpy(parts.items[parts.count].times, times, count * sizeof *times);
        parts.count++;
        record_print(&references_table, &parts, &text);
        status = text_write_file(path, &text, why);
    }
    text_free(&text);
    arena_free(&arena);
    return status;
}
