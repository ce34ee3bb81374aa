#include "service/web/parts.h"

#include "base/arena.h"
#include "base/diff.h"
#include "grader/report/time_change.h"
#include "grader/terminal/terminal.h"
#include "service/store/view.h"
#include "service/web/answer.h"
#include "service/web/template.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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
    values_time(cJSON_AddObjectToObject(row, key), time);
}

static void put_times(cJSON *list, const char *name, MeasuredTime before, MeasuredTime after)
{
    const TimeChange change = time_change(before, after);
    cJSON *row = values_row(list);
    values_put(row, "name=%s is_score=%d change=%s", name, strcmp(name, "Score") == 0, time_order_words(change.order));
    put_time(row, "before", before);
    put_time(row, "after", after);
    cJSON_AddItemToObject(row, "times_as_fast",
                          change.order == TIME_UNKNOWN ? cJSON_CreateNull() : cJSON_CreateNumber(1 / change.ratio));
}

static void compare_times(cJSON *page, const ComparedSubmission *before, const ComparedSubmission *after)
{
    const cJSON *item;
    cJSON *times = cJSON_AddArrayToObject(page, "times");
    values_put(page, "case=%s", device_models_times(after->row.device) ? "Case (modelled)" : "Case");
    cJSON_ArrayForEach(item, view_item(after->result, "cases"))
    {
        if (view_true(item, "timed"))
            put_times(times, view_text(item, "name"),
                      view_time(case_called(before->result, view_text(item, "name")), "time_ms"),
                      view_time(item, "time_ms"));
    }
    put_times(times, "Score", before->row.time, after->row.time);
}

/* ---- counters ---------------------------------------------------------------------------------------------------- */

static double total(const cJSON *result, const char *counter)
{
    const cJSON *item;
    double sum = 0;
    cJSON_ArrayForEach(item, view_item(result, "cases"))
    {
        double count = view_number(view_item(item, "counters"), counter);
        sum += isnan(count) ? 0 : count;
    }
    return sum;
}

/* Sums over the timed cases, of what differs by a hundredth at least. */
static void compare_counters(cJSON *list, const ComparedSubmission *before, const ComparedSubmission *after)
{
    static const char *const counters[][2] = {
#define SUMMARY(NAME, WORDS, VALUE) {#NAME, WORDS},
#include "simgpu/cost/counters.def"
        {"kernels", "Kernel launches"},
        {"copies", "Copies"},
    };
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
        double was = total(before->result, counters[i][0]), is = total(after->result, counters[i][0]);
        if (counters[i][1][0] == '\0' || !(fabs(is - was) > 0.01 * fmax(is, was)))
            continue;
        cJSON *row = values_row(list);
        values_put(row, "words=%s before=%g after=%g", counters[i][1], was, is);
        cJSON_AddItemToObject(row, "ratio", was > 0 ? cJSON_CreateNumber(is / was) : cJSON_CreateNull());
    }
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

static void put_line(cJSON *list, const DiffLine *line, bool is_first, Arena *arena)
{
    static const char *const kinds[] = {"", "removed", "added"}, *const signs[] = {" ", "−", "+"};
    enum { MOST_BYTES = 400 };
    const int length = line->length < MOST_BYTES ? (int)line->length : MOST_BYTES;
    values_put(values_row(list), "is_first=%d kind=%s sign=%s before=%zu after=%zu text=%s", is_first,
               kinds[line->kind], signs[line->kind], line->before, line->after,
               arena_printf(arena, "%.*s", length, line->text));
}

static void compare_sources(cJSON *page, const char *before, const char *after)
{
    Arena arena = {0};
    cJSON *list = cJSON_AddArrayToObject(page, "lines");
    size_t count, shown = 0;
    const DiffLine *lines = diff_lines(before, after, &arena, &count);
    bool was_shown = true;
    for (size_t i = 0; i < count && shown < MOST_SHOWN && strcmp(before, after) != 0; i++) {
        bool is_shown = is_near_change(lines, count, i);
        if (is_shown)
            put_line(list, &lines[i], !was_shown, &arena);
        shown += is_shown;
        was_shown = is_shown;
    }
    values_put(page, "is_cut=%d", shown == MOST_SHOWN);
    arena_free(&arena);
}

/* ---- both together ----------------------------------------------------------------------------------------------- */

static void put_one(cJSON *page, const char *key, const ComparedSubmission *one)
{
    values_put(cJSON_AddObjectToObject(page, key), "number=%" PRId64 " verdict=%s", one->row.id,
               one->row.verdict[0] == '\0' ? submission_state(&one->row) : one->row.verdict);
}

cJSON *comparison(const ComparedSubmission *before, const ComparedSubmission *after)
{
    char obstacle[300] = "both need one";
    cJSON *page = cJSON_CreateObject(), *counters = cJSON_AddArrayToObject(page, "counters");
    const bool has_sources = before->source != NULL && after->source != NULL;
    put_one(page, "before", before);
    put_one(page, "after", after);
    if (before->row.time.ms > 0 && after->row.time.ms > 0)
        time_change_obstacle(before->result, after->result, obstacle, sizeof obstacle);
    values_put(page, "obstacle=%s has_sources=%d", obstacle, has_sources);
    compare_times(page, before, after);
    if (total(before->result, "warp_instructions") > 0 && total(after->result, "warp_instructions") > 0)
        compare_counters(counters, before, after);
    if (has_sources)
        compare_sources(page, before->source, after->source);
    return page;
}

/* ==== source view ================================================================================================= */

/* So that a page stays below 300 KB. */
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

/* The advice about a line, with its place in the list. */
static void put_notes(cJSON *row, const cJSON *explain, size_t number)
{
    cJSON *advice, *notes = cJSON_AddArrayToObject(row, "notes");
    int place = 0;
    cJSON_ArrayForEach(advice, view_item(explain, "advice"))
    {
        place++;
        if (view_number(advice, "line") != (double)number)
            continue;
        cJSON *note = values_row(notes);
        values_put(note, "place=%d", place);
        cJSON_AddItemReferenceToObject(note, "advice", advice);
    }
}

static void put_source_line(cJSON *row, const char *line, size_t length)
{
    Text text = {0};
    text_append(&text, line, length > 0 && line[length - 1] == '\r' ? length - 1 : length);
    values_put(row, "text=%s", text.data);
    text_free(&text);
}

cJSON *source_values(const char *source, const cJSON *explain)
{
    if (source == NULL)
        return cJSON_CreateNull();
    const size_t count = count_lines(source);
    size_t number = 0;
    cJSON *view = cJSON_CreateObject(), *lines = cJSON_AddArrayToObject(view, "lines");
    LineFigures *figures = explain == NULL ? NULL : gather(explain, count);
    for (const char *at = source; *at != '\0' && number < MOST_LINES && at - source < MOST_BYTES;) {
        const size_t length = strcspn(at, "\n"), room = (size_t)(MOST_BYTES - (at - source));
        cJSON *row = values_row(lines);
        put_source_line(row, at, length < room ? length : room);
        number++;
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
