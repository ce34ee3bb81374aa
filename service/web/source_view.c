#include "service/web/parts.h"

#include "base/arena.h"
#include "base/html.h"
#include "base/terminal.h"
#include "grader/report/report.h"
#include "grader/report/time_change.h"
#include "service/course/facts.h"
#include "service/store/view.h"
#include "service/web/answer.h"
#include "service/web/template.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ==== source line ================================================================================================= */

/* A page shows the line as {{{text}}}. */
void put_source_line(cJSON *row, const char *line, size_t length, bool *in_comment)
{
    Text text = {0};
    text_add(&text, "");
    html_source(&text, line, length > 0 && line[length - 1] == '\r' ? length - 1 : length, in_comment);
    values_markup(row, "text", &text);
}

/* ==== comparison ================================================================================================== */

/* ---- times ------------------------------------------------------------------------------------------------------- */

static const cJSON *case_called(const cJSON *result, const char *name)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, view_item(result, "cases"))
    {
        if (strcmp(view_text(item, "name"), name) == 0)
            return item;
    }
    return NULL;
}

static void put_time(cJSON *row, const char *key, MeasuredTime time)
{
    if (time.ms > 0)
        values_time(cJSON_AddObjectToObject(row, key), time);
}

/* Times that are missing or cannot be compared have no "change". */
static void put_times(cJSON *row, MeasuredTime before, MeasuredTime after, bool compares)
{
    const TimeChange change = time_change(before, after);
    put_time(row, "before", before);
    put_time(row, "after", after);
    if (compares && change.order != TIME_UNKNOWN)
        values_put(cJSON_AddObjectToObject(row, "change"), "ratio=%g uncertainty=%g order=%s", change.ratio,
                   change.uncertainty, time_order_words(change.order));
}

/* One of both may be NULL. */
static void put_case(cJSON *list, const cJSON *before, const cJSON *after, bool compares)
{
    cJSON *row = values_row(list);
    values_put(row, "name=%s", view_text(before == NULL ? after : before, "name"));
    if (before != NULL)
        values_put(row, "verdict_before=%s", view_text(before, "verdict"));
    if (after != NULL)
        values_put(row, "verdict_after=%s", view_text(after, "verdict"));
    put_times(row, view_time(before, "time_ms"), view_time(after, "time_ms"), compares);
}

static void compare_cases(cJSON *list, const cJSON *before, const cJSON *after, bool compares)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, view_item(before, "cases"))
    {
        put_case(list, item, case_called(after, view_text(item, "name")), compares);
    }
    cJSON_ArrayForEach(item, view_item(after, "cases"))
    {
        if (case_called(before, view_text(item, "name")) == NULL)
            put_case(list, NULL, item, compares);
    }
}

/* ---- sentences --------------------------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static void put_sentence(cJSON *list, const char *format, ...)
{
    Text text = {0};
    va_list values;
    va_start(values, format);
    text_vprintf(&text, format, values);
    va_end(values);
    cJSON_AddItemToArray(list, cJSON_CreateString(text.data));
    text_free(&text);
}

static const char *verdict_of(const cJSON *item, const char *key)
{
    const char *verdict = view_text(item, key);
    return verdict[0] == '\0' ? "not run" : verdict;
}

/* Both verdicts of cases that do not have the same; cases in a row that have the same two share a sentence. */
static void put_verdict_changes(cJSON *list, const cJSON *cases)
{
    const cJSON *next;
    for (const cJSON *item = cases->child; item != NULL; item = next) {
        const char *before = verdict_of(item, "verdict_before"), *after = verdict_of(item, "verdict_after");
        int more = 0;
        for (next = item->next; next != NULL && strcmp(verdict_of(next, "verdict_before"), before) == 0 &&
                                strcmp(verdict_of(next, "verdict_after"), after) == 0;
             next = next->next)
            more++;
        if (strcmp(before, after) != 0 && more > 0)
            put_sentence(list, "%s and the next %d: %s, then %s", view_text(item, "name"), more, before, after);
        else if (strcmp(before, after) != 0)
            put_sentence(list, "%s: %s, then %s", view_text(item, "name"), before, after);
    }
}

static void put_limiter_changes(cJSON *list, const cJSON *before, const cJSON *after)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, view_item(before, "cases"))
    {
        const cJSON *other = case_called(after, view_text(item, "name"));
        const char *was = view_text(view_item(item, "counters"), "limiter");
        const char *is = view_text(view_item(other, "counters"), "limiter");
        if (was[0] != '\0' && is[0] != '\0' && strcmp(was, is) != 0)
            put_sentence(list, "%s: limited by %s, then by %s", view_text(item, "name"), limiter_words(was),
                         limiter_words(is));
    }
}

/* ---- counters ---------------------------------------------------------------------------------------------------- */

typedef struct ComparedCounter {
    const char *name, *words;
    double before, after;
} ComparedCounter;

static const double LEAST_CHANGE = 0.02; /* of a counter that is listed */

/* Sums over the cases that both have; of a share, the mean. */
static void sum_counter(ComparedCounter *counter, const cJSON *before, const cJSON *after)
{
    const cJSON *item;
    int count = 0;
    cJSON_ArrayForEach(item, view_item(before, "cases"))
    {
        const cJSON *other = case_called(after, view_text(item, "name"));
        const double was = view_number(view_item(item, "counters"), counter->name);
        const double is = view_number(view_item(other, "counters"), counter->name);
        if (!(was >= 0 && is >= 0))
            continue;
        counter->before += was;
        counter->after += is;
        count++;
    }
    if (count > 0 && strcmp(counter->name, "occupancy") == 0) {
        counter->before /= count;
        counter->after /= count;
    }
}

/* A counter that appears or vanishes has changed without bounds; by how much it differs then decides. */
static double weight(const ComparedCounter *counter)
{
    return fabs(log((counter->after + 1e-3) / (counter->before + 1e-3)));
}

static int compare_weights(const void *a, const void *b)
{
    const double one = weight(a), other = weight(b);
    return one > other ? -1 : one < other;
}

static void compare_counters(cJSON *list, const cJSON *before, const cJSON *after)
{
    ComparedCounter counters[] = {
#define SUMMARY(NAME, WORDS, VALUE) {.name = #NAME, .words = WORDS},
#include "simgpu/cost/counters.def"
        {.name = "kernels", .words = "Kernel launches"},
        {.name = "copies", .words = "Copies"},
        {.name = "occupancy", .words = "Occupancy"},
    };
    const size_t count = sizeof counters / sizeof *counters;
    for (size_t i = 0; i < count; i++)
        sum_counter(&counters[i], before, after);
    qsort(counters, count, sizeof *counters, compare_weights);
    for (size_t i = 0; i < count; i++) {
        const ComparedCounter *one = &counters[i];
        if (one->words[0] == '\0' || !(fabs(one->after - one->before) > LEAST_CHANGE * fmax(one->before, one->after)))
            continue;
        cJSON *row = values_row(list);
        values_put(row, "name=%s words=%s before=%g after=%g", one->name, one->words, one->before, one->after);
        if (one->before > 0)
            values_put(row, "ratio=%g", one->after / one->before);
    }
}

/* ==== lines that differ =========================================================================================== */

enum { MOST_DIFFERENT = 2000 };

typedef struct Lines {
    const char **starts;
    size_t *lengths;
    size_t count;
} Lines;

static Lines split(const char *text, Arena *arena)
{
    Lines lines = {0};
    size_t most = 1;
    for (const char *at = text; *at != '\0'; at++)
        most += *at == '\n';
    lines.starts = arena_array(arena, most, sizeof *lines.starts);
    lines.lengths = arena_array(arena, most, sizeof *lines.lengths);
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        bool has_return = length > 0 && text[length - 1] == '\r'; /* Windows ends lines with it */
        lines.starts[lines.count] = text;
        lines.lengths[lines.count++] = length - has_return;
        text += length + (text[length] == '\n');
    }
    return lines;
}

static bool is_same(const Lines *a, size_t i, const Lines *b, size_t k)
{
    return a->lengths[i] == b->lengths[k] && memcmp(a->starts[i], b->starts[k], a->lengths[i]) == 0;
}

/* ---- the list of changes ----------------------------------------------------------------------------------------- */

typedef struct Diff {
    Lines before, after;
    size_t i, k; /* next line of each */
    DiffLine *lines;
    size_t count;
} Diff;

static void add(Diff *diff, DiffKind kind)
{
    const Lines *from = kind == DIFF_ADDED ? &diff->after : &diff->before;
    size_t at = kind == DIFF_ADDED ? diff->k : diff->i;
    DiffLine *line = &diff->lines[diff->count++];
    *line = (DiffLine){.kind = kind, .text = from->starts[at], .length = from->lengths[at]};
    if (kind != DIFF_ADDED)
        line->before = ++diff->i;
    if (kind != DIFF_REMOVED)
        line->after = ++diff->k;
}

/* lengths[i][k]: of the longest common subsequence of the lines from i and from k on, before `end_i` and `end_k`. */
static void add_changes(Diff *diff, size_t end_i, size_t end_k, Arena *arena)
{
    size_t first_i = diff->i, first_k = diff->k, rows = end_i - first_i, columns = end_k - first_k,
           stride = columns + 1;
    uint16_t *lengths = NULL;
    if (rows <= MOST_DIFFERENT && columns <= MOST_DIFFERENT) {
        lengths = arena_array(arena, (rows + 1) * stride, sizeof *lengths);
        for (size_t i = rows; i-- > 0;)
            for (size_t k = columns; k-- > 0;) {
                uint16_t down = lengths[(i + 1) * stride + k], right = lengths[i * stride + k + 1];
                bool same = is_same(&diff->before, first_i + i, &diff->after, first_k + k);
                uint16_t both = (uint16_t)(lengths[(i + 1) * stride + k + 1] + 1);
                lengths[i * stride + k] = same ? both : down > right ? down : right;
            }
    }
    while (diff->i < end_i || diff->k < end_k) {
        size_t i = diff->i - first_i, k = diff->k - first_k;
        bool has_both = diff->i < end_i && diff->k < end_k;
        if (lengths != NULL && has_both && is_same(&diff->before, diff->i, &diff->after, diff->k))
            add(diff, DIFF_SAME);
        else if (diff->i < end_i &&
                 (diff->k == end_k || lengths == NULL || lengths[(i + 1) * stride + k] >= lengths[i * stride + k + 1]))
            add(diff, DIFF_REMOVED);
        else
            add(diff, DIFF_ADDED);
    }
}

DiffLine *diff_lines(const char *before, const char *after, Arena *arena, size_t *count)
{
    Diff diff = {.before = split(before, arena), .after = split(after, arena)};
    size_t end_i = diff.before.count, end_k = diff.after.count;
    diff.lines = arena_array(arena, end_i + end_k + 1, sizeof *diff.lines);
    while (diff.i < end_i && diff.k < end_k && is_same(&diff.before, diff.i, &diff.after, diff.k))
        add(&diff, DIFF_SAME);
    while (end_i > diff.i && end_k > diff.k && is_same(&diff.before, end_i - 1, &diff.after, end_k - 1)) {
        end_i--;
        end_k--;
    }
    add_changes(&diff, end_i, end_k, arena);
    while (diff.i < diff.before.count)
        add(&diff, DIFF_SAME);
    *count = diff.count;
    return diff.lines;
}

/* ---- sources ----------------------------------------------------------------------------------------------------- */

enum { CONTEXT = 3, MOST_SHOWN = 900 };

static bool is_near_change(const DiffLine *lines, size_t count, size_t i)
{
    for (size_t k = i > CONTEXT ? i - CONTEXT : 0; k <= i + CONTEXT && k < count; k++)
        if (lines[k].kind != DIFF_SAME)
            return true;
    return false;
}

static void put_line(cJSON *list, const DiffLine *line, bool is_first, bool in_comment)
{
    static const char *const kinds[] = {"", "removed", "added"}, *const signs[] = {" ", "−", "+"};
    enum { MOST_BYTES = 400 };
    cJSON *row = values_row(list);
    values_put(row, "is_first=%d kind=%s sign=%s before=%zu after=%zu", is_first, kinds[line->kind], signs[line->kind],
               line->before, line->after);
    put_source_line(row, line->text, line->length < MOST_BYTES ? line->length : MOST_BYTES, &in_comment);
}

void comparison_put_sources(cJSON *page, const char *before, const char *after)
{
    Arena arena = {0};
    cJSON *list = cJSON_AddArrayToObject(page, "lines");
    size_t count, shown = 0;
    const DiffLine *lines = diff_lines(before, after, &arena, &count);
    bool was_shown = true, is_comment[] = {false, false}; /* before and after */
    for (size_t i = 0; i < count && shown < MOST_SHOWN && strcmp(before, after) != 0; i++) {
        bool is_shown = is_near_change(lines, count, i);
        if (is_shown)
            put_line(list, &lines[i], !was_shown, is_comment[lines[i].kind != DIFF_REMOVED]);
        if (lines[i].kind != DIFF_ADDED)
            html_source(NULL, lines[i].text, lines[i].length, &is_comment[0]);
        if (lines[i].kind != DIFF_REMOVED)
            html_source(NULL, lines[i].text, lines[i].length, &is_comment[1]);
        shown += is_shown;
        was_shown = is_shown;
    }
    values_put(page, "has_sources=%d is_cut=%d", true, shown == MOST_SHOWN);
    arena_free(&arena);
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static const char *verdict_or_state(const StoredSubmission *row)
{
    return row->verdict[0] == '\0' ? submission_state(row) : row->verdict;
}

cJSON *comparison(const ComparedSubmission *before, const ComparedSubmission *after)
{
    char obstacle[300] = "both need one";
    cJSON *values = cJSON_CreateObject();
    if (before->row.time.ms > 0 && after->row.time.ms > 0)
        time_change_obstacle(before->result, after->result, obstacle, sizeof obstacle);
    values_put(values, "before=%" PRId64 " after=%" PRId64 " verdict_before=%s verdict_after=%s", before->row.id,
               after->row.id, verdict_or_state(&before->row), verdict_or_state(&after->row));
    cJSON_AddBoolToObject(values, "modelled", device_models_times(after->row.device));
    if (obstacle[0] != '\0')
        values_put(values, "obstacle=%s", obstacle);
    put_times(cJSON_AddObjectToObject(values, "score"), before->row.time, after->row.time, obstacle[0] == '\0');
    cJSON *cases = cJSON_AddArrayToObject(values, "cases"), *changes = cJSON_AddArrayToObject(values, "changes");
    compare_cases(cases, before->result, after->result, obstacle[0] == '\0');
    put_verdict_changes(changes, cases);
    put_limiter_changes(changes, before->result, after->result);
    compare_counters(cJSON_AddArrayToObject(values, "counters"), before->result, after->result);
    return values;
}

/* ==== source view ================================================================================================= */

/* These limits keep a page below 300 KB. */
enum { MOST_LINES = 1500, MOST_BYTES = 90000 };

/* ---- figures by line --------------------------------------------------------------------------------------------- */

typedef struct LineFigures { /* sums over all kernels */
    bool known;
    double share, executions, lanes, instructions;
    double sectors, ideal_sectors, requests;
    double wavefronts, shared_requests;
} LineFigures;

static double count_of(const cJSON *counters, const char *name)
{
    double count = view_number(counters, name);
    return isnan(count) ? 0 : count;
}

static void add_to(LineFigures *figures, const cJSON *line)
{
    const cJSON *counters = view_item(line, "counters");
    figures->known = true;
    figures->share += count_of(line, "share");
    figures->executions += count_of(line, "executions");
    figures->lanes += count_of(counters, "lane_instructions");
    figures->instructions += count_of(counters, "warp_instructions");
    figures->sectors += count_of(counters, "global_load_sectors") + count_of(counters, "global_store_sectors");
    figures->requests += count_of(counters, "global_load_requests") + count_of(counters, "global_store_requests");
    figures->ideal_sectors += count_of(line, "ideal_load_sectors") + count_of(line, "ideal_store_sectors");
    figures->wavefronts += count_of(counters, "shared_load_wavefronts") + count_of(counters, "shared_store_wavefronts");
    figures->shared_requests += count_of(counters, "shared_load_requests") +
                                count_of(counters, "shared_store_requests");
}

/* The lines from 1 on; lines of other files are left out. */
static LineFigures *gather(const cJSON *explain, size_t line_count)
{
    const cJSON *line;
    LineFigures *figures = calloc(line_count + 1, sizeof *figures);
    if (figures == NULL)
        return NULL;
    cJSON_ArrayForEach(line, view_item(explain, "lines"))
    {
        double number = view_number(line, "line");
        if (number >= 1 && number <= (double)line_count && view_item(line, "file") == NULL)
            add_to(&figures[(size_t)number], line);
    }
    return figures;
}

static void put_mean(cJSON *row, const char *name, double sum, double count)
{
    cJSON_AddStringToObject(row, name, count > 0 && sum > 0 ? quantity_mean(sum / count).text : "");
}

static void put_figures(cJSON *row, const LineFigures *figures)
{
    values_put(row, "share=%s executions=%s", figures->known ? quantity_percent(figures->share, 1).text : "",
               figures->known ? quantity_count(figures->executions).text : "");
    put_mean(row, "lanes", figures->lanes, figures->instructions);
    put_mean(row, "sectors", figures->sectors, figures->requests);
    put_mean(row, "ideal", figures->ideal_sectors, figures->requests);
    put_mean(row, "wavefronts", figures->wavefronts, figures->shared_requests);
}

static int heat_of(double share)
{
    static const double least[] = {0.01, 0.05, 0.15, 0.3, 0.6};
    int heat = 0;
    while (heat < 5 && share >= least[heat])
        heat++;
    return heat;
}

/* ---- the source -------------------------------------------------------------------------------------------------- */

static size_t count_lines(const char *source)
{
    size_t count = 0;
    for (; *source != '\0'; count++) {
        source += strcspn(source, "\n");
        source += *source == '\n';
    }
    return count;
}

/* The advice that the page shows, beside its line. */
static void put_notes(cJSON *row, const cJSON *explain, size_t number)
{
    const cJSON *list = view_item(explain, "advice"), *first = list == NULL ? NULL : list->child;
    cJSON *notes = cJSON_AddArrayToObject(row, "notes");
    if (first == NULL || view_number(first, "line") != (double)number)
        return;
    cJSON_AddItemReferenceToObject(values_row(notes), "advice", (cJSON *)first);
}

/* What the compiler said about a line. A header may come before the file: its line numbers count from the file's own first line. */
static void put_messages(cJSON *row, const cJSON *result, size_t number)
{
    const char *at = view_text(view_item(result, "compile"), "diagnostics"), *file = view_text(result, "file");
    cJSON *list = cJSON_AddArrayToObject(row, "messages");
    CompilerMessage message;
    while (compiler_message_next(&at, file, &message)) {
        Text text = {0};
        if (message.line != (long)number)
            continue;
        text_append(&text, message.text, message.length);
        values_put(values_row(list), "words=%s is_warning=%d", text.data, message.is_warning);
        text_free(&text);
    }
}

cJSON *source_values(const char *source, const cJSON *explain, const cJSON *result)
{
    if (source == NULL)
        return cJSON_CreateNull();
    const size_t count = count_lines(source);
    size_t number = 0;
    bool in_comment = false;
    cJSON *view = cJSON_CreateObject(), *lines = cJSON_AddArrayToObject(view, "lines");
    LineFigures *figures = explain == NULL ? NULL : gather(explain, count);
    for (const char *at = source; *at != '\0' && number < MOST_LINES && at - source < MOST_BYTES;) {
        const size_t length = strcspn(at, "\n"), room = (size_t)(MOST_BYTES - (at - source));
        cJSON *row = values_row(lines);
        put_source_line(row, at, length < room ? length : room, &in_comment);
        number++;
        if (result != NULL)
            put_messages(row, result, number);
        if (figures != NULL) {
            values_put(row, "heat=%d", heat_of(figures[number].share));
            put_figures(cJSON_AddObjectToObject(row, "figures"), &figures[number]);
            put_notes(row, explain, number);
        }
        at += length + (at[length] == '\n');
    }
    values_put(view, "has_figures=%d left_out=%zu", figures != NULL, count - number);
    free(figures);
    return view;
}
