#include "base/text.h"
#include "grader/report/report.h"
#include "grader/terminal/terminal.h"
#include "service/store/view.h"
#include "service/web/board_plots.h"
#include "service/web/html.h"
#include "service/web/parts.h"
#include "service/web/source_view.h"
#include "service/web/submission_cases.h"
#include "service/web/svg.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== submission times ============================================================================================ */

/* The times of a submission: each timed case, the roofline, the spread of the samples, and in which
 * state the device was. */

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

/* ---- each timed case --------------------------------------------------------------------------------------------- */

static void add_timed_case(Text *page, int number, const cJSON *item)
{
    const cJSON *counters = view_item(item, "counters");
    MeasuredTime time = view_time(item, "time_ms");
    html_add(page, "<tr><th scope=\"row\">%d. %s<span class=\"more quiet\">", number, view_text(item, "name"));
    add_sizes(page, view_item(item, "sizes"));
    html_add(
        page,
        "</span></th><td class=\"number\">%s</td><td class=\"number spare\">%s</td><td class=\"number spare\">%s</td>"
        "<td class=\"number\">%s</td>",
        figure_measured(time).text, figure_within(view_number(item, "gflops"), time.uncertainty).text,
        figure_within(view_number(item, "gbytes_per_s"), time.uncertainty).text,
        figure_percent(view_number(item, "roofline")).text);
    if (counters != NULL)
        html_add(page, "<td class=\"spare\">%s</td><td class=\"number spare\">%s</td>",
                 limiter_words(view_text(counters, "limiter")),
                 figure_percent(view_number(counters, "occupancy")).text);
    html_raw(page, "</tr>\n");
}

static void submission_timed_cases(Text *page, const SubmissionPage *submission)
{
    const cJSON *timed[MAX_TIMED];
    size_t count = timed_cases(view_item(submission->result, "cases"), timed);
    if (count == 0)
        return;
    html_raw(page, "<h3>Each timed case</h3>\n");
    table_begin_wide(page, "Timed cases",
                     view_item(timed[0], "counters") != NULL
                         ? "Case|>Time|>-GFLOP/s|>-GB/s|>Of the roofline|-Limited by|>-Occupancy"
                         : "Case|>Time|>-GFLOP/s|>-GB/s|>Of the roofline");
    for (size_t i = 0; i < count; i++)
        add_timed_case(page, (int)i + 1, timed[i]);
    table_end(page);
    for (size_t i = 0; i < count; i++)
        if (*view_text(timed[i], "fewer_calls") != '\0')
            html_add(page, "<p class=\"note\">%s: %s.</p>\n", view_text(timed[i], "name"),
                     view_text(timed[i], "fewer_calls"));
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
static RooflineBars roofline_around(const SubmissionPage *submission, const cJSON *const *timed, size_t count,
                                    cJSON *const *references, size_t reference_count)
{
    RooflineBars roofline = {.peak = view_number(submission->sitting, "fma_flops_per_s") / 1e9,
                             .bandwidth = view_number(submission->sitting, "copy_bytes_per_s") / 1e9};
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

static void add_roofline_numbers(Text *page, const RooflineBars *roofline, const BoardPage *board,
                                 const cJSON *const *timed, size_t count, cJSON *const *references,
                                 size_t reference_count)
{
    details_begin(page, "The numbers of this plot");
    html_add(page, "<p>The roof: %s GFLOP/s, and %s GB/s of copying.</p>\n", figure_whole(roofline->peak).text,
             figure_whole(roofline->bandwidth).text);
    table_begin(page, "Rates of each timed case", "Case|Who|>Operations per byte|>GFLOP/s|>Roof");
    for (size_t i = 0; i < count; i++) {
        TimePoint you = point_of(timed[i]);
        double uncertainty = view_time(timed[i], "time_ms").uncertainty;
        html_add(
            page,
            "<tr class=\"you\"><th scope=\"row\">%zu. %s</th><td>this submission</td><td class=\"number\">%.4g</td>"
            "<td class=\"number\">%s</td><td class=\"number\">%s</td></tr>\n",
            i + 1, view_text(timed[i], "name"), you.intensity, figure_within(you.rate, uncertainty).text,
            figure_whole(roof_at(roofline, you.intensity)).text);
        for (size_t k = 0; k < reference_count; k++) {
            TimePoint other = reference_point(timed[i], references[k]);
            if (!isnan(other.rate))
                html_add(page,
                         "<tr><th scope=\"row\">%zu. %s</th><td>%s</td><td class=\"number\">%.4g</td><td "
                         "class=\"number\">%s</td><td class=\"number\"></td></tr>\n",
                         i + 1, view_text(timed[i], "name"), board->references[k].name, other.intensity,
                         figure_within(other.rate, uncertainty).text);
        }
    }
    table_end(page);
    details_end(page);
}

static void add_roofline(Text *page, const SubmissionPage *submission, const cJSON *const *timed, size_t count,
                         cJSON *const *references, size_t reference_count)
{
    RooflineBars roofline = roofline_around(submission, timed, count, references, reference_count);
    html_raw(page,
             "<figure>\n<figcaption>The roofline<span class=\"more\">The line is what the direct method can reach on "
             "this device.</span></figcaption>\n");
    svg_begin(
        page, "roofline", ROOF_BOTTOM + 40, "The roofline",
        "The rate of each timed case against its operations per byte, under the roof of the device. The table below "
        "has the numbers.");
    add_roof(page, &roofline);
    add_points(page, &roofline, submission->board, timed, count, references, reference_count);
    svg_end(page);
    html_raw(
        page,
        "<ul class=\"key\"><li><svg viewBox=\"0 0 10 10\" aria-hidden=\"true\"><circle class=\"me\" cx=\"5\" cy=\"5\" "
        "r=\"5\"/></svg>this submission, by timed case</li>");
    if (reference_count > 0)
        html_raw(
            page,
            "<li><svg viewBox=\"0 0 10 10\" aria-hidden=\"true\"><path class=\"reference\" d=\"M5 0l5 5-5 5-5-5z\"/>"
            "</svg>a reference solution</li>");
    html_raw(page, "</ul>\n");
    add_roofline_numbers(page, &roofline, submission->board, timed, count, references, reference_count);
    html_raw(page, "</figure>\n");
}

static void submission_roofline(Text *page, const SubmissionPage *submission)
{
    const cJSON *timed[MAX_TIMED];
    size_t count = timed_cases(view_item(submission->result, "cases"), timed);
    size_t reference_count = submission->board == NULL ? 0 : submission->board->reference_count;
    bool has_roof = view_number(submission->sitting, "fma_flops_per_s") > 0 &&
                    view_number(submission->sitting, "copy_bytes_per_s") > 0;
    if (count == 0 || !has_roof || !(point_of(timed[0]).intensity > 0))
        return;
    cJSON **references = calloc(reference_count + 1, sizeof *references);
    if (references == NULL)
        return;
    for (size_t i = 0; i < reference_count; i++) {
        const char *cases = submission->board->references[i].cases;
        references[i] = cases == NULL ? NULL : cJSON_Parse(cases);
    }
    add_roofline(page, submission, timed, count, references, reference_count);
    for (size_t i = 0; i < reference_count; i++)
        cJSON_Delete(references[i]);
    free(references);
}

/* ---- the spread of the samples ----------------------------------------------------------------------------------- */

enum { BINS = 40 };

/* What the deciding clock showed of one sample. */
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

static void add_spread_row(Text *page, const cJSON *item)
{
    html_add(
        page,
        "<tr><th scope=\"row\">%s</th><td class=\"number\">%d</td><td class=\"number\">%s</td><td class=\"number\">%s</td>"
        "<td class=\"number\">%s</td><td class=\"number\">%s</td><td class=\"number\">%s</td><td>%s</td></tr>\n",
        view_text(item, "name"), cJSON_GetArraySize(view_item(item, "samples")),
        figure_time(view_number(item, "min_ms")).text, figure_time(view_number(item, "p5_ms")).text,
        figure_time(view_time(item, "time_ms").ms).text, figure_time(view_number(item, "p95_ms")).text,
        figure_percent(view_number(item, "variation")).text, view_text(item, "clock"));
}

static void add_spreads(Text *page, const cJSON *const *timed, size_t count, double gap_ms)
{
    html_raw(page, "<h3>The spread of the samples</h3>\n<div class=\"plots\">\n");
    for (size_t i = 0; i < count; i++) {
        char id[32];
        snprintf(id, sizeof id, "spread-%zu", i + 1);
        if (cJSON_GetArraySize(view_item(timed[i], "samples")) < 2)
            continue;
        html_add(page, "<figure>\n<figcaption>%zu. %s</figcaption>\n", i + 1, view_text(timed[i], "name"));
        add_sample_histogram(page, id, timed[i], gap_ms);
        html_raw(page, "</figure>\n");
    }
    html_raw(page, "</div>\n");
    table_begin(page, "The spread of the samples",
                "Case|>Samples|>Least|>5th percentile|>Time|>95th percentile|>Variation|Clock");
    for (size_t i = 0; i < count; i++)
        add_spread_row(page, timed[i]);
    table_end(page);
}

static void add_blocks(Text *page, const cJSON *blocks)
{
    const cJSON *block;
    int number = 0;
    html_raw(
        page,
        "<h3>Clock and temperature</h3>\n<p class=\"note\">A block is a run of timed calls in a process of its own.</p>\n");
    table_begin(page, "Clock and temperature in each block", "Block|>Clock|>Temperature|Counts");
    cJSON_ArrayForEach(block, blocks)
    {
        const char *disturbance = view_text(block, "disturbance");
        double clock = view_number(block, "sm_clock_mhz"), temperature = view_number(block, "temperature_c");
        html_add(page, "<tr><th scope=\"row\">%d</th><td class=\"number\">", ++number);
        if (clock > 0)
            html_add(page, "%s\u00A0MHz", figure_whole(clock).text);
        html_raw(page, "</td><td class=\"number\">");
        if (temperature > 0)
            html_add(page, "%.0f\u00A0°C", temperature);
        html_add(page, "</td><td>%s</td></tr>\n", *disturbance == '\0' ? "yes" : disturbance);
    }
    table_end(page);
}

static void add_anchor(Text *page, const cJSON *anchor)
{
    double drift = view_number(anchor, "drift");
    if (isnan(drift))
        return;
    html_add(
        page,
        "<p>Before and after it, the judge timed %s: %s, then %s. So the device drifted by %s, which is part of the "
        "uncertainty.</p>\n",
        view_text(anchor, "name"), figure_time(view_number(anchor, "before_ms")).text,
        figure_time(view_number(anchor, "after_ms")).text, figure_percent(drift).text);
}

static void submission_spread(Text *page, const SubmissionPage *submission)
{
    const cJSON *timed[MAX_TIMED], *blocks = view_item(submission->result, "blocks");
    size_t count = timed_cases(view_item(submission->result, "cases"), timed);
    double gap_us = view_number(submission->result, "clock_gap_us");
    bool has_samples = false;
    for (size_t i = 0; i < count; i++)
        has_samples = has_samples || view_number(timed[i], "min_ms") > 0;
    if (has_samples)
        add_spreads(page, timed, count, gap_us > 0 ? gap_us / 1000 : 0);
    if (cJSON_GetArraySize(blocks) > 0)
        add_blocks(page, blocks);
    add_anchor(page, view_item(submission->result, "anchor"));
}

/* ==== page submission ============================================================================================= */

/* ---- while it waits and runs ------------------------------------------------------------------------------------- */

static bool has_ended(const SubmissionPage *submission)
{
    return strcmp(submission->state, "waiting") != 0 && strcmp(submission->state, "judging") != 0;
}

static void add_waiting_words(Text *page, const SubmissionPage *submission)
{
    if (strcmp(submission->state, "judging") == 0) {
        if (submission->step == NULL)
            html_raw(page, "It is being judged.");
        else if (submission->total > 0)
            html_add(page, "%s: %" PRId64 " of %" PRId64, submission->step, submission->done, submission->total);
        else
            html_text(page, submission->step);
        return;
    }
    if (submission->ahead == 0) {
        html_raw(page, "It is next.");
        return;
    }
    html_add(page, submission->ahead == 1 ? "%" PRId64 " submission is ahead" : "%" PRId64 " submissions are ahead",
             submission->ahead);
    if (submission->expected_s > 0)
        html_add(page, ", about %s", figure_duration(submission->expected_s).text);
    html_raw(page, ".");
}

/* live.js fills in the same elements at each event. */
static void add_progress(Text *page, const SubmissionPage *submission)
{
    bool is_judging = strcmp(submission->state, "judging") == 0;
    html_add(page, "<div class=\"verdict wait\" data-events=\"/api/v1/submissions/%" PRId64 "/events\">\n",
             submission->number);
    html_raw(page, "<div class=\"words\" role=\"status\">\n<p class=\"name\">");
    page_icon(page, "wait");
    html_add(page, "<span class=\"state\">%s</span></p>\n<p class=\"status-text\">",
             is_judging ? "Being judged" : "Waiting");
    add_waiting_words(page, submission);
    html_raw(page, "</p>\n");
    if (submission->total > 0)
        html_add(page, "<progress aria-label=\"Progress\" max=\"%" PRId64 "\" value=\"%" PRId64 "\"></progress>\n",
                 submission->total, submission->done);
    else
        html_raw(page, "<progress aria-label=\"Progress\"></progress>\n");
    html_raw(page, "</div>\n<p class=\"again\"><a href=\"\">Look again</a></p>\n");
    if (submission->can_withdraw)
        html_add(page,
                 "<form method=\"post\" action=\"/submissions/%" PRId64 "/withdraw\"><button class=\"plain\">Withdraw "
                 "it</button></form>\n",
                 submission->number);
    html_raw(page, "</div>\n");
}

/* ---- the verdict in one glance ----------------------------------------------------------------------------------- */

/* A person ranks with the fastest submission, which may be another one. */
static const char *rank_name(const SubmissionPage *submission, MeasuredTime score)
{
    const BoardPage *board = submission->board;
    for (size_t i = 0; board != NULL && i < board->standing_count; i++)
        if (strcmp(board->standings[i].person, submission->person) == 0 &&
            time_is_faster(board->standings[i].time, score))
            return "Rank, by a faster one";
    return "Rank";
}

static void add_score(Text *page, const SubmissionPage *submission)
{
    const cJSON *result = submission->result;
    MeasuredTime score = view_time(result, "score_ms");
    if (!(score.ms > 0))
        return;
    html_add(page, "<dl>\n<div><dt>Time%s</dt><dd>%s</dd></div>\n", view_true(result, "modelled") ? " (modelled)" : "",
             figure_measured(score).text);
    if (submission->rank > 0)
        html_add(page, "<div><dt>%s</dt><dd>%" PRId64 " of %" PRId64 "</dd></div>\n", rank_name(submission, score),
                 submission->rank, submission->of);
    if (view_number(result, "roofline") > 0)
        html_add(page, "<div><dt>Of the roofline</dt><dd>%s</dd></div>\n",
                 figure_percent(view_number(result, "roofline")).text);
    html_raw(page, "</dl>\n");
}

static void add_verdict(Text *page, const SubmissionPage *submission)
{
    const cJSON *result = submission->result;
    const char *verdict = view_text(result, "verdict"), *class = verdict_class(verdict);
    html_add(page, "<div class=\"verdict %s\">\n<div class=\"words\">\n<p class=\"name\">", class);
    page_icon(page, class);
    html_add(page, "%s</p>\n", verdict);
    if (*view_text(result, "text") != '\0') {
        html_raw(page, "<p>");
        html_code(page, view_text(result, "text"));
        html_raw(page, "</p>\n");
    }
    if (submission->retracted != NULL)
        html_add(page, "<p>Hidden by a teacher: %s</p>\n", submission->retracted);
    else if (*view_text(result, "rank_status") != '\0')
        html_add(page, "<p class=\"quiet\">%s</p>\n", view_text(result, "rank_status"));
    html_raw(page, "</div>\n");
    add_score(page, submission);
    html_raw(page, "</div>\n");
}

static void add_state(Text *page, const char *class, const char *name, const char *text)
{
    html_add(page, "<div class=\"verdict %s\"><div class=\"words\"><p class=\"name\">", class);
    page_icon(page, class);
    html_add(page, "%s</p><p>%s</p></div></div>\n", name, text);
}

static void add_glance(Text *page, const SubmissionPage *submission)
{
    if (!has_ended(submission))
        add_progress(page, submission);
    else if (strcmp(submission->state, "withdrawn") == 0)
        add_state(page, "none", "Withdrawn", "Its author took it back before it was judged.");
    else if (strcmp(submission->state, "held") == 0)
        add_state(page, "wait", "Held", "The judge failed, not the submission. A person will look at it.");
    else if (submission->result != NULL)
        add_verdict(page, submission);
    else
        add_state(page, "none", "Judged", "The judge keeps no details of it.");
}

/* ---- the parts of a result --------------------------------------------------------------------------------------- */

static void add_share(Text *page, const cJSON *percentiles, const char *key, const char *name)
{
    const cJSON *percentile = view_item(percentiles, key), *interval = view_item(percentile, "interval");
    double n = view_number(percentile, "n");
    if (!(n > 0))
        return;
    html_add(page, "<div><dt>%s</dt><dd>faster than %s of %s", name,
             figure_whole(view_number(percentile, "slower")).text, figure_whole(n).text);
    if (view_number(percentile, "tied") > 0)
        html_add(page, ", %s tied", figure_whole(view_number(percentile, "tied")).text);
    if (n >= 10 && cJSON_GetArraySize(interval) == 2)
        html_add(page, ": percentile %.0f (%.0f to %.0f)", view_number(percentile, "value"),
                 cJSON_GetArrayItem(interval, 0)->valuedouble, cJSON_GetArrayItem(interval, 1)->valuedouble);
    html_raw(page, "</dd></div>\n");
}

static void add_warnings(Text *page, const cJSON *warnings)
{
    const cJSON *warning;
    if (cJSON_GetArraySize(warnings) == 0)
        return;
    html_raw(page, "<section aria-labelledby=\"warnings\">\n<h2 id=\"warnings\">Warnings</h2>\n<ul class=\"prose\">\n");
    cJSON_ArrayForEach(warning, warnings)
    {
        html_raw(page, "<li>");
        html_code(page, cJSON_IsString(warning) ? warning->valuestring : "");
        html_raw(page, "</li>\n");
    }
    html_raw(page, "</ul>\n</section>\n");
}

static void add_times(Text *page, const SubmissionPage *submission)
{
    static const BoardPage nothing = {0};
    MeasuredTime score = view_time(submission->result, "score_ms");
    const BoardPage *board = submission->board == NULL ? &nothing : submission->board;
    const cJSON *percentiles = view_item(submission->result, "percentile");
    if (!(score.ms > 0))
        return;
    html_raw(page, "<section aria-labelledby=\"times\">\n<h2 id=\"times\">Times</h2>\n");
    if (percentiles != NULL) {
        html_raw(page, "<dl class=\"facts\">\n");
        add_share(page, percentiles, "references", "Among the reference solutions");
        add_share(page, percentiles, "class", "Among the class, when it was judged");
        html_raw(page, "</dl>\n");
    }
    html_raw(page, "<div class=\"plots\">\n");
    plot_times(page, "times-plot", board, score);
    plot_ladder(page, board, score);
    submission_roofline(page, submission);
    html_raw(page, "</div>\n");
    submission_timed_cases(page, submission);
    submission_spread(page, submission);
    html_raw(page, "</section>\n");
}

static void add_source(Text *page, const SubmissionPage *submission)
{
    if (submission->source == NULL && submission->explain == NULL)
        return;
    html_raw(page, "<section aria-labelledby=\"source\">\n<h2 id=\"source\">");
    html_raw(page, submission->explain != NULL ? "Where the time goes</h2>\n" : "Source</h2>\n");
    if (submission->explain != NULL)
        explanation(page, submission->explain);
    if (submission->explain != NULL && submission->source != NULL)
        html_raw(page, "<h3>Source</h3>\n");
    if (submission->source != NULL)
        source_view(page, submission->source, submission->explain);
    html_raw(page, "</section>\n");
}

/* ---- compiler, second opinion, and how it was judged ------------------------------------------------------------- */

static void add_kernel(Text *page, const cJSON *kernel)
{
    html_add(page,
             "<tr><th scope=\"row\"><code>%s</code></th><td class=\"number\">%s</td><td class=\"number\">%s</td><td "
             "class=\"number\">%s</td></tr>\n",
             view_text(kernel, "name"), figure_whole(view_number(kernel, "registers")).text,
             figure_whole(view_number(kernel, "shared_bytes")).text,
             figure_whole(view_number(kernel, "spill_bytes")).text);
}

static void add_compilation(Text *page, const cJSON *compile)
{
    enum { MOST = 20000 };
    const cJSON *kernel, *kernels = view_item(compile, "kernels");
    const char *diagnostics = view_text(compile, "diagnostics");
    if (cJSON_GetArraySize(kernels) == 0 && *diagnostics == '\0')
        return;
    html_raw(page, "<section aria-labelledby=\"compiler\">\n<h2 id=\"compiler\">Compiler</h2>\n");
    if (*diagnostics != '\0')
        html_add(page, "<pre tabindex=\"0\"><code>%.*s</code></pre>\n", MOST, diagnostics);
    if (cJSON_GetArraySize(kernels) > 0) {
        table_begin(page, "What each kernel uses", "Kernel|>Registers|>Shared bytes|>Spilled bytes");
        cJSON_ArrayForEach(kernel, kernels)
        {
            add_kernel(page, kernel);
        }
        table_end(page);
    }
    html_raw(page, "</section>\n");
}

static void add_opinion(Text *page, const cJSON *opinion)
{
    if (opinion == NULL)
        return;
    html_raw(page, "<section aria-labelledby=\"opinion\">\n<h2 id=\"opinion\">Second opinion</h2>\n");
    if (*view_text(opinion, "none") != '\0')
        html_add(page, "<p>%s has none: %s</p>\n", view_text(opinion, "device_name"), view_text(opinion, "none"));
    else if (view_true(opinion, "agrees"))
        html_add(page, "<p>%s agrees: %s.</p>\n", view_text(opinion, "device_name"), view_text(opinion, "verdict"));
    else
        html_add(page, "<p>%s says %s. %s %s</p>\n", view_text(opinion, "device_name"), view_text(opinion, "verdict"),
                 view_text(opinion, "case"), view_text(opinion, "text"));
    html_raw(page, "</section>\n");
}

static void add_facts(Text *page, const SubmissionPage *submission)
{
    const cJSON *result = submission->result;
    char text[200];
    html_raw(page,
             "<section aria-labelledby=\"record\">\n<h2 id=\"record\">How it was judged</h2>\n<dl class=\"facts\">\n");
    page_fact(page, "Device", view_text(result, "device_name"));
    page_fact(page, "Times",
              !(view_time(result, "score_ms").ms > 0) ? ""
              : view_true(result, "modelled")         ? "modelled, not measured"
                                                      : "measured");
    page_fact(page, "Driver", view_text(result, "driver"));
    page_fact(page, "Compiler", view_text(result, "toolkit"));
    page_fact(page, "Judge", view_text(result, "judge"));
    page_fact(page, "Sandbox", view_text(result, "sandbox"));
    page_fact(page, "Judged",
              *view_text(result, "time_utc") == '\0' ? "" : figure_moment(view_text(result, "time_utc")).text);
    if (submission->received != NULL)
        page_fact(page, "Received", figure_moment(submission->received).text);
    page_fact(page, "Hash of the source", view_text(result, "source_hash"));
    if (submission->run > 0) {
        snprintf(text, sizeof text, "%" PRId64, submission->run);
        page_fact(page, "Run", text);
    }
    for (size_t i = 0; i < submission->again_count; i++) {
        const StoredRun *again = &submission->again[i];
        snprintf(text, sizeof text, "%s, run %" PRId64 ", %s", figure_measured(again->time).text, again->id,
                 figure_moment(again->time_utc).text);
        page_fact(page, "Timed again", text);
    }
    html_raw(page, "</dl>\n</section>\n");
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

static void add_heading(Text *page, const Site *site, const SubmissionPage *submission)
{
    html_raw(page, "<p class=\"under\">");
    link_problem(page, site, submission->problem,
                 submission->problem_title == NULL ? submission->problem : submission->problem_title);
    html_raw(page, ", by ");
    link_person(page, site, submission->person);
    html_add(page, ", <code>%s</code>", submission->file_name);
    if (submission->mode != NULL && strcmp(submission->mode, "rank") != 0)
        html_add(page, ", as a %s", submission->mode);
    if (submission->received != NULL)
        html_add(page, ", received %s", figure_moment(submission->received).text);
    html_raw(page, "</p>\n");
}

void page_submission(Text *page, const Site *site, const SubmissionPage *submission)
{
    char title[64];
    snprintf(title, sizeof title, "Submission %" PRId64, submission->number);
    if (has_ended(submission))
        page_begin(page, site, title);
    else
        page_begin_live(page, site, title);
    add_heading(page, site, submission);
    for (const char *const *sentence = submission->counts_for; sentence != NULL && *sentence != NULL; sentence++)
        html_add(page, "<p class=\"prose\">%s</p>\n", *sentence);
    add_glance(page, submission);
    if (submission->result != NULL) {
        add_warnings(page, view_item(submission->result, "warnings"));
        submission_cases(page, view_item(submission->result, "cases"));
        add_times(page, submission);
        add_compilation(page, view_item(submission->result, "compile"));
        add_opinion(page, view_item(submission->result, "second_opinion"));
    }
    add_source(page, submission);
    if (submission->result != NULL)
        add_facts(page, submission);
    page_end(page, site);
}
