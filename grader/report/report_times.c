#include "grader/report/report_times.h"

#include "grader/report/limiter.h"
#include "grader/report/report_line.h"
#include "grader/terminal/quantity.h"

#include <math.h>
#include <stdio.h>

enum {
    CASE_COLUMNS = 36,
    LIMITER_COLUMNS = 18,
    TIME_COLUMNS = 10,
    OCCUPANCY_COLUMNS = 9,
    SPREAD_COLUMNS = 21, /* "59.31 us +- 0.6 %" */
    RANGE_COLUMNS = 22,  /* "58.92 us .. 60.21 us" */
    VARIATION_COLUMNS = 8,
    RATE_COLUMNS = 9,
    ROOFLINE_COLUMNS = 10
};

void report_add_score(const Result *result, TerminalStyle style, Text *out)
{
    report_add_label(out, "time");
    terminal_colour(style, out, COLOUR_MARK, quantity_time(result->score.ms).text);
    text_printf(out, " %s %s", report_plus_minus(style), quantity_percent(result->score.uncertainty, 1).text);
    report_add_label_of_times(&result->device, out);
    text_add(out, ", geometric mean of the timed cases\n");
    report_add_label(out, "throughput");
    text_printf(out, "%s GFLOP/s, %s GB/s", quantity_rate(result->gflops).text,
                quantity_rate(result->gbytes_per_s).text);
    report_add_label_of_times(&result->device, out);
    if (result->roofline > 0)
        text_printf(out, ", %s of the direct roofline", quantity_percent(result->roofline, 1).text);
    text_add(out, "\n");
}

/* ---- modelled times ---------------------------------------------------------------------------------------------- */

static void add_timed_case(const CaseResult *item, Text *out)
{
    text_add(out, "  ");
    terminal_pad(out, item->name, CASE_COLUMNS);
    terminal_pad(out, quantity_time(item->time.ms).text, -TIME_COLUMNS);
    if (item->statistics.has_counters) {
        text_add(out, "  ");
        terminal_pad(out, limiter_words(item->statistics.limiter), LIMITER_COLUMNS);
        terminal_pad(out, quantity_percent(item->statistics.occupancy, 0).text, -OCCUPANCY_COLUMNS);
    }
    text_add(out, "\n");
}

static void add_sampling(const CaseResult *item, TerminalStyle style, Text *out)
{
    const DeviceStatistics *statistics = &item->statistics;
    if (statistics->sampled_share > 0 && statistics->sampled_share < 1)
        text_printf(out, "  of %s, %s of the blocks ran, drawn at random: %s %s\n", item->name,
                    quantity_percent(statistics->sampled_share, 0).text, report_plus_minus(style),
                    quantity_percent(statistics->sample_error, 1).text);
}

static void add_modelled_cases(const Result *result, TerminalStyle style, Text *out)
{
    char head[60];
    snprintf(head, sizeof head, "timed case (%s)", device_time_label(&result->device));
    text_printf(out, "\n  %-*s%*s  %-*s%s\n", CASE_COLUMNS, head, TIME_COLUMNS, "time", LIMITER_COLUMNS, "limited by",
                "occupancy");
    for (size_t i = 0; i < result->case_count; i++)
        if (result->cases[i].time.ms > 0)
            add_timed_case(&result->cases[i], out);
    for (size_t i = 0; i < result->case_count; i++)
        if (result->cases[i].time.ms > 0)
            add_sampling(&result->cases[i], style, out);
}

/* ---- a time that was measured ------------------------------------------------------------------------------------ */

/* "59.31 us +- 0.6 %" */
static void add_spread(Text *out, MeasuredTime time, TerminalStyle style)
{
    Text text = {0};
    text_printf(&text, "%s %s %s", quantity_time(time.ms).text, report_plus_minus(style),
                quantity_percent(time.uncertainty, 1).text);
    terminal_pad(out, text.data, -SPREAD_COLUMNS);
    text_free(&text);
}

static void add_range(Text *out, const Timing *timing)
{
    Text text = {0};
    text_printf(&text, "%s .. %s", quantity_time(1e3 * timing->min_s).text, quantity_time(1e3 * timing->p95_s).text);
    terminal_pad(out, text.data, -RANGE_COLUMNS);
    text_free(&text);
}

/* The name has a line of its own, since the numbers fill one. */
static void add_measured_case(const CaseResult *item, TerminalStyle style, Text *out)
{
    text_printf(out, "  %s\n", item->name);
    add_spread(out, item->time, style);
    add_range(out, &item->timing);
    terminal_pad(out, quantity_percent(item->timing.variation, 1).text, -VARIATION_COLUMNS);
    terminal_pad(out, quantity_rate(item->gflops).text, -RATE_COLUMNS);
    terminal_pad(out, quantity_rate(item->gbytes_per_s).text, -RATE_COLUMNS);
    if (item->roofline > 0)
        terminal_pad(out, quantity_percent(item->roofline, 1).text, -ROOFLINE_COLUMNS);
    text_add(out, "\n");
}

static void add_measured_cases(const Result *result, TerminalStyle style, Text *out)
{
    text_printf(out, "\n  %-*s%*s%*s%*s%*s%*s\n", SPREAD_COLUMNS - 2, "timed case", RANGE_COLUMNS, "fastest .. 95 %",
                VARIATION_COLUMNS, "CV", RATE_COLUMNS, "GFLOP/s", RATE_COLUMNS, "GB/s", ROOFLINE_COLUMNS, "roofline");
    for (size_t i = 0; i < result->case_count; i++)
        if (result->cases[i].time.ms > 0)
            add_measured_case(&result->cases[i], style, out);
}

typedef struct TimeRange {
    double least, most; /* both 0: unknown */
} TimeRange;

static void widen(TimeRange *range, double value)
{
    if (!(value > 0))
        return;
    range->least = range->least > 0 ? fmin(range->least, value) : value;
    range->most = fmax(range->most, value);
}

/* Adds ", SM clock 1965 to 1980 MHz"; nothing if it is unknown. */
static void add_condition(Text *out, const char *what, TimeRange range, const char *unit)
{
    if (!(range.most > 0))
        return;
    text_printf(out, ", %s%.0f", what, range.least);
    if (lround(range.least) != lround(range.most))
        text_printf(out, " to %.0f", range.most);
    text_printf(out, " %s", unit);
}

/* Says how often each case was timed, and the state of the GPU during that time. */
static void add_conditions(const Result *result, const Timing *timing, TerminalStyle style, Text *out)
{
    TimeRange clock_mhz = {0}, temperature_c = {0};
    for (size_t i = 0; i < result->block_count; i++) {
        widen(&clock_mhz, result->blocks[i].sm_clock_mhz);
        widen(&temperature_c, result->blocks[i].temperature_c);
    }
    report_add_label(out, "measured");
    if (result->on_cpu)
        text_printf(out, "%zu calls, without the first one", timing->count);
    else
        text_printf(out, "%zu blocks x %zu calls", timing->blocks, timing->count / timing->blocks);
    add_condition(out, "SM clock ", clock_mhz, "MHz");
    add_condition(out, "", temperature_c, style.utf8 ? "°C" : "C");
    text_add(out, "\n");
}

static void add_anchor(const AnchorTimes *anchor, Text *out)
{
    if (anchor->name[0] == '\0')
        return;
    report_add_label(out, "anchor");
    text_printf(out, "%s drifted by %s during the measurement\n", anchor->name,
                quantity_percent(anchor->drift, 1).text);
}

static void add_host(const DeviceInfo *device, TerminalStyle style, Text *out)
{
    const double constant_s = device_host_constant_s(device);
    if (!(device->usual_launch_s > 0))
        return;
    report_add_label(out, "host");
    text_printf(out, "an empty launch takes %s %s", quantity_time(1e3 * device->launch_s).text,
                report_plus_minus(style));
    text_printf(out, " %s here, %s usually: ", quantity_time(1e3 * device->launch_spread_s).text,
                quantity_time(1e3 * device->usual_launch_s).text);
    if (constant_s > 0)
        text_printf(out, "%s taken off each call\n", quantity_time(1e3 * constant_s).text);
    else
        text_add(out, "nothing taken off\n");
}

static void add_deciding_clock(size_t by_host, size_t timed, Text *out)
{
    if (by_host == 0)
        return;
    report_add_label(out, "clock");
    text_printf(out, "the host's in %zu of %zu timed cases; CUDA events showed less\n", by_host, timed);
}

static void add_sitting(const Result *result, TerminalStyle style, Text *out)
{
    const Timing *timing = NULL;
    size_t timed = 0, by_host = 0;
    for (size_t i = 0; i < result->case_count; i++) {
        const CaseResult *item = &result->cases[i];
        if (!(item->time.ms > 0))
            continue;
        timing = &item->timing;
        timed++;
        by_host += item->timing.host_decided;
    }
    if (timing == NULL)
        return;
    add_conditions(result, timing, style, out);
    add_anchor(&result->anchor, out);
    add_host(&result->device, style, out);
    add_deciding_clock(by_host, timed, out);
}

void report_add_timed_cases(const Result *result, TerminalStyle style, Text *out)
{
    if (result->device.modelled) {
        add_modelled_cases(result, style, out);
        return;
    }
    add_sitting(result, style, out);
    add_measured_cases(result, style, out);
}
