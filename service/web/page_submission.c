#include "base/text.h"
#include "grader/report/explain_report.h"
#include "grader/report/report.h"
#include "service/course/facts.h"
#include "service/store/view.h"
#include "service/web/board_plots.h"
#include "base/html.h"
#include "service/web/parts.h"
#include "base/svg.h"
#include "service/web/template.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== submission times ============================================================================================ */

/* The plots of the times: the roofline, and the spread of the samples. */

enum { MAX_TIMED = 12 };

/* The timed cases that have a time; their number. */
static size_t timed_cases(const cJSON *cases, const cJSON *timed[MAX_TIMED])
{
    const cJSON *item;
    size_t count = 0;
    cJSON_ArrayForEach(item, cases)
    {
        if (view_true(item, "timed") && view_time(item, "time_ms").ms > 0 && count < MAX_TIMED)
            timed[count++] = item;
    }
    return count;
}

static const cJSON *case_called(const cJSON *cases, const char *name)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, cases)
    {
        if (strcmp(view_text(item, "name"), name) == 0)
            return item;
    }
    return NULL;
}

/* ---- the roofline ------------------------------------------------------------------------------------------------ */

typedef struct RooflineBars {
    double peak, bandwidth; /* 1e9 operations and bytes a second */
    PlotAxis across, up;    /* operations a byte, 1e9 operations a second */
} RooflineBars;

typedef struct TimePoint {
    double intensity, rate;
} TimePoint;

static TimePoint point_of(const cJSON *item)
{
    double gflops = view_number(item, "gflops"), gbytes = view_number(item, "gbytes_per_s");
    return (TimePoint){.intensity = gbytes > 0 ? gflops / gbytes : NAN, .rate = gflops};
}

/* The same work in the time of a reference solution; NaN: it has none for this case. */
static TimePoint reference_point(const cJSON *item, const cJSON *reference)
{
    const cJSON *other = case_called(reference, view_text(item, "name"));
    TimePoint point = point_of(item);
    double ms = view_time(other, "time_ms").ms;
    point.rate = ms > 0 ? point.rate * view_time(item, "time_ms").ms / ms : NAN;
    return point;
}

static double roof_at(const RooflineBars *roofline, double intensity)
{
    return fmin(roofline->peak, roofline->bandwidth * intensity);
}

static const double ROOF_LEFT = 62, ROOF_RIGHT = PLOT_WIDTH - 12, ROOF_TOP = 22, ROOF_BOTTOM = 220;

/* Holds the cases of the submission and of the references, up to the peak. */
static RooflineBars roofline_around(const cJSON *sitting, const cJSON *const *timed, size_t count,
                                    cJSON *const *references, size_t reference_count)
{
    RooflineBars roofline = {.peak = view_number(sitting, "fma_flops_per_s") / 1e9,
                             .bandwidth = view_number(sitting, "copy_bytes_per_s") / 1e9};
    double ridge = roofline.peak / roofline.bandwidth, least = ridge / 2, most = ridge * 2, lowest = roofline.peak;
    for (size_t i = 0; i < count; i++) {
        TimePoint you = point_of(timed[i]);
        least = fmin(least, you.intensity);
        most = fmax(most, you.intensity);
        lowest = fmin(lowest, you.rate);
        for (size_t k = 0; k < reference_count; k++)
            lowest = fmin(lowest, reference_point(timed[i], references[k]).rate);
    }
    roofline.across = axis_around(least / 1.3, most * 1.3, ROOF_LEFT, ROOF_RIGHT, true);
    roofline.up = axis_around(lowest, roofline.peak, ROOF_BOTTOM, ROOF_TOP, true);
    return roofline;
}

static void add_roof(Text *page, const RooflineBars *roofline)
{
    const PlotAxis *across = &roofline->across, *up = &roofline->up;
    double ticks[AXIS_MAX_TICKS];
    int count = axis_ticks(up, 22, ticks);
    for (int i = 0; i < count; i++) {
        double y = axis_at(up, ticks[i]);
        svg_line(page, "grid", ROOF_LEFT, y, ROOF_RIGHT, y);
        svg_label(page, "tick", ROOF_LEFT - 6, y + 4, "end", figure_whole(ticks[i]).text);
    }
    svg_line(page, "axis", ROOF_LEFT, ROOF_BOTTOM, ROOF_RIGHT, ROOF_BOTTOM);
    count = axis_ticks(across, 40, ticks);
    for (int i = 0; i < count; i++) {
        char label[32];
        double x = axis_at(across, ticks[i]);
        snprintf(label, sizeof label, "%g", ticks[i]);
        svg_line(page, "axis", x, ROOF_BOTTOM, x, ROOF_BOTTOM + 4);
        svg_label(page, "tick", x, ROOF_BOTTOM + 17, "middle", label);
    }
    svg_label(page, "tick", 0, ROOF_TOP - 10, "start", "GFLOP/s");
    svg_label(page, "tick", ROOF_RIGHT, ROOF_BOTTOM + 33, "end", "operations per byte that must be moved");
    double start = fmax(across->low, up->low / roofline->bandwidth), ridge = roofline->peak / roofline->bandwidth;
    svg_line(page, "roof", axis_at(across, start), axis_at(up, roof_at(roofline, start)), axis_at(across, ridge),
             axis_at(up, roofline->peak));
    svg_line(page, "roof", axis_at(across, ridge), axis_at(up, roofline->peak), ROOF_RIGHT,
             axis_at(up, roofline->peak));
}

/* Cases with the same intensity lie above each other, and their numbers must not: each stands beside its point, or below the
 * number before. Points further up come first. */
static void add_case_numbers(Text *page, const RooflineBars *roofline, const cJSON *const *timed, size_t count)
{
    static const double NEAR = 14, LINE = 13;
    double xs[MAX_TIMED], ys[MAX_TIMED], label_ys[MAX_TIMED];
    bool is_placed[MAX_TIMED] = {false};
    for (size_t i = 0; i < count; i++) {
        xs[i] = axis_at(&roofline->across, point_of(timed[i]).intensity);
        ys[i] = axis_at(&roofline->up, point_of(timed[i]).rate);
    }
    for (size_t placed = 0; placed < count; placed++) {
        char number[32];
        size_t next = count;
        for (size_t i = 0; i < count; i++)
            if (!is_placed[i] && (next == count || ys[i] < ys[next]))
                next = i;
        label_ys[next] = ys[next];
        for (size_t i = 0; i < count; i++)
            if (is_placed[i] && fabs(xs[i] - xs[next]) < NEAR)
                label_ys[next] = fmax(label_ys[next], label_ys[i] + LINE);
        is_placed[next] = true;
        snprintf(number, sizeof number, "%zu", next + 1);
        svg_label(page, "strong", xs[next] + 10, label_ys[next] + 4, "start", number);
    }
}

static void add_points(Text *page, const RooflineBars *roofline, const BoardPage *board, const cJSON *const *timed,
                       size_t count, cJSON *const *references, size_t reference_count)
{
    for (size_t i = 0; i < count; i++) {
        double x = axis_at(&roofline->across, point_of(timed[i]).intensity);
        for (size_t k = 0; k < reference_count; k++) {
            TimePoint other = reference_point(timed[i], references[k]);
            if (!isnan(other.rate))
                svg_diamond(page, "reference", x, axis_at(&roofline->up, other.rate), 4.5, board->references[k].name);
        }
    }
    for (size_t i = 0; i < count; i++)
        svg_disc(page, "me", axis_at(&roofline->across, point_of(timed[i]).intensity),
                 axis_at(&roofline->up, point_of(timed[i]).rate), 6, view_text(timed[i], "name"));
    add_case_numbers(page, roofline, timed, count);
}

/* One row of the table; the roof stands beside the submission's own points. */
static void put_point(cJSON *list, size_t number, const cJSON *item, const char *who, TimePoint point, double roof)
{
    if (isnan(point.rate))
        return;
    cJSON *row = values_row(list);
    values_put(row, "number=%zu case=%s who=%s intensity=%.4g rate=%g uncertainty=%g", number, view_text(item, "name"),
               who, point.intensity, point.rate, view_time(item, "time_ms").uncertainty);
    cJSON_AddItemToObject(row, "roof", isnan(roof) ? cJSON_CreateNull() : cJSON_CreateNumber(roof));
}

static void add_roofline(Text *page, const cJSON *sitting, const BoardPage *board, const cJSON *const *timed,
                         size_t count, cJSON *const *references, size_t reference_count)
{
    RooflineBars roofline = roofline_around(sitting, timed, count, references, reference_count);
    cJSON *values = cJSON_CreateObject(), *points = cJSON_AddArrayToObject(values, "points");
    Text plot = {0};
    svg_begin(
        &plot, "roofline", ROOF_BOTTOM + 40, "The roofline",
        "The rate of each timed case against its operations per byte, under the roof of the device. The table below "
        "has the numbers.");
    add_roof(&plot, &roofline);
    add_points(&plot, &roofline, board, timed, count, references, reference_count);
    svg_end(&plot);
    values_markup(values, "plot", &plot);
    values_put(values, "has_references=%d peak=%g bandwidth=%g", reference_count > 0, roofline.peak,
               roofline.bandwidth);
    for (size_t i = 0; i < count; i++) {
        const TimePoint you = point_of(timed[i]);
        put_point(points, i + 1, timed[i], "this submission", you, roof_at(&roofline, you.intensity));
        for (size_t k = 0; k < reference_count; k++)
            put_point(points, i + 1, timed[i], board->references[k].name, reference_point(timed[i], references[k]),
                      NAN);
    }
    template_show(page, "roofline", values);
    cJSON_Delete(values);
}

static void submission_roofline(Text *page, const cJSON *sitting, const BoardPage *board, const cJSON *const *timed,
                                size_t count)
{
    size_t reference_count = board == NULL ? 0 : board->reference_count;
    bool has_roof = view_number(sitting, "fma_flops_per_s") > 0 && view_number(sitting, "copy_bytes_per_s") > 0;
    if (count == 0 || !has_roof || !(point_of(timed[0]).intensity > 0))
        return;
    cJSON **references = calloc(reference_count + 1, sizeof *references);
    if (references == NULL)
        return;
    for (size_t i = 0; i < reference_count; i++) {
        const char *cases = board->references[i].cases;
        references[i] = cases == NULL ? NULL : cJSON_Parse(cases);
    }
    add_roofline(page, sitting, board, timed, count, references, reference_count);
    for (size_t i = 0; i < reference_count; i++)
        cJSON_Delete(references[i]);
    free(references);
}

/* ---- the spread of the samples ----------------------------------------------------------------------------------- */

enum { BINS = 40 };

/* One sample by the clock that decided the time. */
static double sample_ms(const cJSON *item, const cJSON *sample, double gap_ms)
{
    if (strcmp(view_text(item, "clock"), "host") == 0)
        return view_number(sample, "host_ms") - gap_ms;
    return view_number(sample, "event_ms");
}

static void add_sample_histogram(Text *page, const char *id, const cJSON *item, double gap_ms)
{
    const cJSON *sample, *samples = view_item(item, "samples");
    size_t counts[BINS] = {0}, most = 1;
    Text most_label = {0};
    double low = view_number(item, "min_ms"), high = view_number(item, "p95_ms"),
           median = view_time(item, "time_ms").ms;
    const double left = 12, right = PLOT_WIDTH - 12, bottom = 84;
    high = fmax(high + (high - low) * 0.3, low * 1.0001);
    PlotAxis axis = {.low = low - (high - low) * 0.05, .high = high, .from = left, .to = right};
    cJSON_ArrayForEach(sample, samples)
    {
        int bin = (int)((axis_at(&axis, sample_ms(item, sample, gap_ms)) - left) / (right - left) * BINS);
        bin = bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin;
        counts[bin]++;
        most = counts[bin] > most ? counts[bin] : most;
    }
    svg_begin(page, id, bottom + 24, view_text(item, "name"),
              "A histogram of the samples, with the time that counts as a line. The table has the numbers.");
    for (int bin = 0; bin < BINS; bin++) {
        double height = 62 * (double)counts[bin] / (double)most, width = (right - left) / BINS;
        if (counts[bin] > 0)
            svg_rect(page, "others-bar", left + bin * width + 0.5, bottom - height, width - 1, height);
    }
    svg_line(page, "me-line", axis_at(&axis, median), 10, axis_at(&axis, median), bottom);
    svg_line(page, "axis", left, bottom, right, bottom);
    svg_label(page, "tick", left, bottom + 17, "start", figure_time(axis.low).text);
    text_printf(&most_label, "%s and more", figure_time(axis.high).text);
    svg_label(page, "tick", right, bottom + 17, "end", most_label.data);
    text_free(&most_label);
    svg_end(page);
}

static void add_spreads(Text *page, const cJSON *const *timed, size_t count, double gap_ms)
{
    for (size_t i = 0; i < count; i++) {
        char id[32];
        snprintf(id, sizeof id, "spread-%zu", i + 1);
        if (cJSON_GetArraySize(view_item(timed[i], "samples")) < 2)
            continue;
        html_add(page, "<figure>\n<figcaption>%zu. %s</figcaption>\n", i + 1, view_text(timed[i], "name"));
        add_sample_histogram(page, id, timed[i], gap_ms);
        html_raw(page, "</figure>\n");
    }
}

/* ==== page submission ============================================================================================= */

static void put_share(cJSON *list, const cJSON *percentiles, const char *key, const char *name)
{
    const cJSON *percentile = view_item(percentiles, key), *between = view_item(percentile, "interval");
    const double n = view_number(percentile, "n"), tied = view_number(percentile, "tied");
    char interval[80] = "";
    if (!(n > 0))
        return;
    if (n >= 10 && cJSON_GetArraySize(between) == 2)
        snprintf(interval, sizeof interval, ": percentile %.0f (%.0f to %.0f)", view_number(percentile, "value"),
                 cJSON_GetArrayItem(between, 0)->valuedouble, cJSON_GetArrayItem(between, 1)->valuedouble);
    values_put(values_row(list), "name=%s slower=%g n=%g tied=%g interval=%s", name, view_number(percentile, "slower"),
               n, tied > 0 ? tied : 0, interval);
}

static void put_times(cJSON *page, const cJSON *result, const cJSON *sitting, const BoardPage *board)
{
    static const BoardPage nothing = {0};
    const cJSON *timed[MAX_TIMED], *percentiles = view_item(result, "percentile");
    const size_t count = timed_cases(view_item(result, "cases"), timed);
    const MeasuredTime score = view_time(result, "score_ms");
    const double gap_us = view_number(result, "clock_gap_us");
    cJSON *list = cJSON_AddArrayToObject(page, "timed"), *shares = cJSON_AddArrayToObject(page, "shares");
    Text plots = {0}, spreads = {0};
    bool has_samples = false;
    for (size_t i = 0; i < count; i++) {
        has_samples = has_samples || view_number(timed[i], "min_ms") > 0;
        cJSON_AddItemReferenceToArray(list, (cJSON *)timed[i]);
    }
    put_share(shares, percentiles, "references", "Among the reference solutions");
    put_share(shares, percentiles, "class", "Among the class, when it was judged");
    if (score.ms > 0) {
        plot_times(&plots, "times-plot", board == NULL ? &nothing : board, score);
        plot_references(&plots, board == NULL ? &nothing : board, score);
        submission_roofline(&plots, sitting, board, timed, count);
        add_spreads(&spreads, timed, has_samples ? count : 0, gap_us > 0 ? gap_us / 1000 : 0);
    }
    values_markup(page, "plots", &plots);
    values_markup(page, "spreads", &spreads);
    values_put(page, "has_samples=%d has_counters=%d", has_samples,
               count > 0 && view_item(timed[0], "counters") != NULL);
}

/* A person ranks with the fastest submission, which may be another one. */
static bool is_by_another(const BoardPage *board, const char *person, MeasuredTime score)
{
    for (size_t i = 0; board != NULL && i < board->standing_count; i++)
        if (strcmp(board->standings[i].person, person) == 0 && time_is_faster(board->standings[i].time, score))
            return true;
    return false;
}

/* A line of the diagnostics that names one of the source leads to it. */
static void put_places(cJSON *page, const cJSON *result)
{
    enum { MOST_PLACES = 20 };
    const char *at = view_text(view_item(result, "compile"), "diagnostics"), *file = view_text(result, "file");
    cJSON *list = cJSON_AddArrayToObject(page, "places");
    CompilerMessage message;
    for (int i = 0; i < MOST_PLACES && compiler_message_next(&at, file, &message);) {
        if (message.line <= 0)
            continue;
        Text text = {0};
        text_append(&text, message.text, message.length);
        values_put(values_row(list), "line=%ld words=%s", message.line, text.data);
        text_free(&text);
        i++;
    }
}

static void put_compiler(cJSON *page, const cJSON *compile)
{
    enum { MOST = 20000 };
    const char *diagnostics = view_text(compile, "diagnostics");
    Text text = {0};
    text_append(&text, diagnostics, strnlen(diagnostics, MOST));
    values_put(page, "diagnostics=%s has_compiler=%d", text.data,
               *diagnostics != '\0' || cJSON_GetArraySize(view_item(compile, "kernels")) > 0);
    text_free(&text);
}

static void put_document(cJSON *page, const char *name, const cJSON *document)
{
    if (document == NULL)
        cJSON_AddNullToObject(page, name);
    else
        cJSON_AddItemReferenceToObject(page, name, (cJSON *)document);
}

/* The terms that are used in what is told, and as what limits a kernel; the figures of lines have a note of their own. */
static void put_terms(cJSON *page, const cJSON *explain)
{
    Text used = {0};
    const cJSON *item;
    cJSON *terms = cJSON_AddArrayToObject(page, "terms");
    text_printf(&used, "occupancy %s %s", view_text(explain, "words"), view_text(view_item(explain, "step"), "idea"));
    cJSON_ArrayForEach(item, view_item(explain, "advice"))
    {
        text_printf(&used, " %s", view_text(item, "text"));
    }
    cJSON_ArrayForEach(item, view_item(explain, "kernels"))
    {
        text_printf(&used, " %s", limiter_words(view_text(item, "bound")));
    }
    for (size_t i = 0; explain_terms[i][0] != NULL; i++)
        if (strstr(used.data, explain_terms[i][0]) != NULL)
            values_put(values_row(terms), "term=%s meaning=%s", explain_terms[i][0], explain_terms[i][1]);
    text_free(&used);
}

void submission_put(cJSON *page, const SubmissionRecord *record)
{
    const char *state = view_text(page, "state");
    const bool is_live = strcmp(state, "waiting") == 0 || strcmp(state, "judging") == 0;
    const MeasuredTime score = view_time(record->result, "score_ms");
    values_put(page, "is_live=%d state_icon=%s is_by_another=%d", is_live,
               is_live || strcmp(state, "held") == 0 ? "wait" : "none",
               is_by_another(record->board, view_text(page, "person"), score));
    put_document(page, "result", record->result);
    put_document(page, "explain", record->explain);
    if (record->explain != NULL)
        put_terms(page, record->explain);
    submission_put_cases(page, record);
    put_times(page, record->result, record->sitting, record->board);
    put_compiler(page, view_item(record->result, "compile"));
    put_places(page, record->result);
    cJSON_AddItemToObject(page, "source", source_values(record->source, record->explain, record->result));
}
