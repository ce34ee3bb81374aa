#include "leaderboard/store.h"

#include "base/json.h"
#include "base/record.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ==== case times ================================================================================================== */

static void take_case_time(const cJSON *item, Arena *arena, CaseTime *times, size_t *count)
{
    const cJSON *ms = json_get(item, "time_ms"), *uncertainty = json_get(item, "uncertainty");
    const char *name = json_string(item, "name"), *model = json_string(item, "model_terms");
    if (name == NULL || !cJSON_IsNumber(ms) || !(ms->valuedouble > 0))
        return;
    times[(*count)++] = (CaseTime){
        .name = arena_string(arena, name),
        .time = time_made(ms->valuedouble, cJSON_IsNumber(uncertainty) ? uncertainty->valuedouble : 0, model)};
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

/* ==== model ======================================================================================================= */

enum { MOST_TERMS = 24, TERM_NAME_BYTES = 32 };

typedef struct Term {
    char name[TERM_NAME_BYTES];
    double log_factor;
} Term;

/* The terms of a text, up to the first that is none; `*rest` becomes what follows them. */
static size_t terms_of(const char *model, Term *terms, const char **rest)
{
    size_t count = 0;
    int length = 0;
    *rest = model;
    while (count < MOST_TERMS &&
           sscanf(*rest, " %31[a-z0-9_] %lf%n", terms[count].name, &terms[count].log_factor, &length) == 2 &&
           terms[count].log_factor >= 0 && terms[count].log_factor < 100) {
        count++;
        *rest += length;
        if (**rest == ',')
            (*rest)++;
    }
    return count;
}

/* Adds `weight` times the terms of a text to those of a list that has room for both. */
static size_t terms_add(Term *sum, size_t count, const char *model, double weight)
{
    Term terms[MOST_TERMS];
    const char *rest;
    const size_t more = terms_of(model, terms, &rest);
    for (size_t i = 0; i < more; i++) {
        size_t at = 0;
        while (at < count && strcmp(sum[at].name, terms[i].name) != 0)
            at++;
        if (at == count)
            sum[count++] = (Term){0};
        memcpy(sum[at].name, terms[i].name, sizeof sum[at].name);
        sum[at].log_factor += weight * terms[i].log_factor;
    }
    return count;
}

bool time_model_is_valid(const char *model)
{
    Term terms[MOST_TERMS];
    const char *rest;
    terms_of(model, terms, &rest);
    return *rest == '\0';
}

MeasuredTime time_made(double ms, double uncertainty, const char *model)
{
    MeasuredTime time = {.ms = ms, .uncertainty = uncertainty};
    if (model != NULL)
        snprintf(time.model, sizeof time.model, "%s", model);
    return time;
}

void time_mean_model(const MeasuredTime *times, size_t count, MeasuredTime *mean)
{
    enum { ROOM = TIME_MODEL_BYTES - TERM_NAME_BYTES }; /* for the others */
    Term *sum = zeroed(count * MOST_TERMS, sizeof *sum);
    size_t term_count = 0, length = 0;
    double others = 0;
    mean->model[0] = '\0';
    for (size_t i = 0; i < count; i++)
        term_count = terms_add(sum, term_count, times[i].model, 1 / (double)count);
    for (size_t i = 0; i < term_count; i++) {
        const char *between = length == 0 ? "" : ", ";
        char text[TERM_NAME_BYTES + 20];
        const size_t more = (size_t)snprintf(text, sizeof text, "%s%s %.4g", between, sum[i].name, sum[i].log_factor);
        if (length + more < ROOM) {
            strcpy(mean->model + length, text);
            length += more;
        } else {
            others += sum[i].log_factor;
        }
    }
    if (others > 0)
        snprintf(mean->model + length, sizeof mean->model - length, ", others %.4g", others);
    free(sum);
}

double time_model_factor(MeasuredTime time)
{
    Term terms[MOST_TERMS];
    const char *rest;
    double log_factor = 0;
    for (size_t i = terms_of(time.model, terms, &rest); i > 0; i--)
        log_factor += terms[i - 1].log_factor;
    return exp(log_factor);
}

double time_reach(MeasuredTime time)
{
    return fmax(time.uncertainty, time_model_factor(time) - 1);
}

/* How far the model errs in the ratio of two times, relative. */
static double model_difference(const char *a, const char *b)
{
    Term terms[2 * MOST_TERMS];
    double squares = 0;
    if (strcmp(a, b) == 0)
        return 0;
    const size_t count = terms_add(terms, terms_add(terms, 0, a, 1), b, -1);
    for (size_t i = 0; i < count; i++)
        squares += terms[i].log_factor * terms[i].log_factor;
    return expm1(sqrt(squares));
}

/* ==== percentile ================================================================================================== */

/* By how much two times must differ, if the model errs by `difference` in their ratio. */
static double tie_ms(MeasuredTime a, MeasuredTime b, double difference)
{
    return hypot(hypot(a.ms * a.uncertainty, b.ms * b.uncertainty), fmin(a.ms, b.ms) * difference);
}

bool time_is_faster(MeasuredTime a, MeasuredTime b)
{
    return b.ms > a.ms && b.ms - a.ms > tie_ms(a, b, model_difference(a.model, b.model));
}

bool time_is_shorter(MeasuredTime a, MeasuredTime b)
{
    return b.ms - a.ms > tie_ms(a, b, 0);
}

double time_ratio_uncertainty(MeasuredTime a, MeasuredTime b)
{
    return hypot(hypot(a.uncertainty, b.uncertainty), model_difference(a.model, b.model));
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

/* A merge sort tree of times with the same terms of the model: in the order of their uncertainty, and for each half, quarter and so on of them the
 * milliseconds in order. `a` is faster than those of a part that lie behind a certain place, and that place moves with the
 * uncertainty; where it is the same for the least and the largest of the part, the part need not be looked into. */
typedef struct TimeTree {
    const MeasuredTime *times; /* [count] by uncertainty */
    double **ms;               /* [levels][count] level 0: each time a part of its own; the last: all are one part */
    size_t count;
} TimeTree;

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

/* `sorted` by uncertainty. */
static TimeTree tree_of(const MeasuredTime *sorted, size_t count, Arena *arena)
{
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

/* A time that is held against those of a tree. */
typedef struct Asked {
    MeasuredTime mine;
    double difference; /* of the model, between mine and those of the tree */
} Asked;

typedef bool Relation(const Asked *asked, MeasuredTime other);

static bool mine_is_faster(const Asked *asked, MeasuredTime other)
{
    return other.ms - asked->mine.ms > tie_ms(asked->mine, other, asked->difference);
}

static bool mine_is_not_slower(const Asked *asked, MeasuredTime other)
{
    return !(asked->mine.ms - other.ms > tie_ms(other, asked->mine, asked->difference));
}

/* How many of `count` ascending times do not have the relation, which all after them have. */
static size_t count_before(Relation *relation, const Asked *asked, const double *ms, size_t count, double uncertainty)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (relation(asked, (MeasuredTime){.ms = ms[middle], .uncertainty = uncertainty}))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* How many times of the part that begins at `first` do not have the relation. */
static size_t tree_count(const TimeTree *tree, int level, size_t first, Relation *relation, const Asked *asked)
{
    if (first >= tree->count)
        return 0;
    const size_t width = (size_t)1 << level, count = tree->count - first < width ? tree->count - first : width;
    const double *ms = tree->ms[level] + first;
    const size_t by_first = count_before(relation, asked, ms, count, tree->times[first].uncertainty);
    const size_t by_last = count_before(relation, asked, ms, count, tree->times[first + count - 1].uncertainty);
    if (by_first == by_last)
        return by_first;
    return tree_count(tree, level - 1, first, relation, asked) +
           tree_count(tree, level - 1, first + width / 2, relation, asked);
}

/* By the terms of the model, and by uncertainty among those with the same. */
static int by_model(const void *a, const void *b)
{
    const MeasuredTime *x = *(const MeasuredTime *const *)a, *y = *(const MeasuredTime *const *)b;
    const int order = strcmp(x->model, y->model);
    return order == 0 ? order_numbers(&x->uncertainty, &y->uncertainty) : order;
}

/* Adds how many times of a tree are faster and slower than each of `sorted`, whose index is that among `times`. */
static void hold_against(const TimeTree *tree, const MeasuredTime *const *sorted, size_t count,
                         const MeasuredTime *times, size_t *faster, size_t *slower)
{
    const int top = tree_levels(tree->count) - 1;
    Asked asked = {0};
    for (size_t i = 0; i < count; i++) {
        const size_t index = (size_t)(sorted[i] - times);
        if (i == 0 || strcmp(asked.mine.model, sorted[i]->model) != 0)
            asked.difference = model_difference(tree->times->model, sorted[i]->model);
        asked.mine = *sorted[i];
        faster[index] += tree_count(tree, top, 0, mine_is_not_slower, &asked);
        slower[index] += tree->count - tree_count(tree, top, 0, mine_is_faster, &asked);
    }
}

void percentiles_among_all(const MeasuredTime *times, size_t count, Percentile *percentiles)
{
    Arena arena = {0};
    const MeasuredTime **sorted = arena_array(&arena, count, sizeof *sorted);
    MeasuredTime *copies = arena_array(&arena, count, sizeof *copies);
    size_t *faster = arena_array(&arena, count, sizeof *faster), *slower = arena_array(&arena, count, sizeof *slower);
    for (size_t i = 0; i < count; i++)
        sorted[i] = &times[i];
    qsort(sorted, count, sizeof(const MeasuredTime *), by_model);
    for (size_t i = 0; i < count; i++)
        copies[i] = *sorted[i];
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && strcmp(copies[first].model, copies[end].model) == 0;)
            end++;
        const TimeTree tree = tree_of(copies + first, end - first, &arena);
        hold_against(&tree, sorted, count, times, faster, slower);
    }
    for (size_t i = 0; i < count; i++)
        percentiles[i] = percentile_of(count - 1, slower[i], faster[i]);
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

static Status check_model(const RecordReading *reading, const cJSON *item, const void *member)
{
    return time_model_is_valid(member) ? STATUS_OK
                                       : json_fail(reading->file, item, reading->why,
                                                   "expected terms of a model, \"lsu 0.293, textures 0.322\"");
}

/* clang-format off */

RECORD(case_table, CaseTime,
    ROW(CaseTime, name, "name", .required = true),
    ROW(CaseTime, time.ms, "time_ms", .required = true, .low = 1e-9, .high = 1e9),
    ROW(CaseTime, time.uncertainty, "uncertainty", .required = true, .low = 0, .high = 1),
    ROW(CaseTime, time.model, "model_terms", .check = check_model));

RECORD(reference_table, ReferenceTime,
    ROW(ReferenceTime, name, "name", .required = true),
    ROW(ReferenceTime, source_hash, "source_hash", .required = true, .about = "file in `accepted/`; hash of its text: a changed source has no time"),
    ROW(ReferenceTime, time_utc, "time_utc", .required = true),
    ROW(ReferenceTime, time.ms, "score_ms", .required = true, .low = 1e-9, .high = 1e9),
    ROW(ReferenceTime, time.uncertainty, "uncertainty", .required = true, .low = 0, .high = 1, .about = "as in result.json"),
    ROW_HAND("cases", .json = JSON_ARRAY, .take = take_cases, .put = put_cases, .about = "timed cases: `name`, `time_ms`, `uncertainty`, `model_terms`"));

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

void reference_find_model(ReferenceTime *reference, Arena *arena)
{
    CaseTime *cases;
    size_t count;
    if (reference->cases == NULL || strstr(reference->cases, "model_terms") == NULL ||
        case_times_read(reference->name, reference->cases, arena, &cases, &count, NULL) != STATUS_OK)
        return;
    MeasuredTime *times = arena_array(arena, count, sizeof *times);
    for (size_t i = 0; i < count; i++)
        times[i] = cases[i].time;
    time_mean_model(times, count, &reference->time);
}

static Status take_cases(const RecordReading *reading, const cJSON *list, const RecordRow *row, void *record)
{
    Text text = {0};
    CaseTime time;
    Status status = STATUS_OK;
    for (const cJSON *item = list->child; item != NULL && status == STATUS_OK; item = item->next)
        status = record_read(&case_table, reading->file, item, NULL, &time, reading->why);
    json_print(list, &text);
    ((ReferenceTime *)record)->cases = text_move(&text, reading->arena);
    reference_find_model(record, reading->arena);
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
