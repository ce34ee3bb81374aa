#include "grader/report/report.h"

#include "base/arena.h"
#include "base/terminal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== limiter ===================================================================================================== */

const char *limiter_words(const char *limiter)
{
    static const char *const words[][2] = {
        {"dram", "memory bandwidth"},   {"l2", "L2 bandwidth"},           {"lsu", "load/store units"},
        {"fma", "float32 arithmetic"},  {"fp64", "float64 arithmetic"},   {"integer", "integer arithmetic"},
        {"issue", "instruction issue"}, {"special", "special functions"}, {"constant", "constant cache"},
        {"blocks", "block start-up"},   {"launch", "launches"},           {"texture", "texture units"},
        {"heap", "heap of kernels"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][0], limiter) == 0)
            return words[i][1];
    return limiter;
}

/* ==== report line ================================================================================================= */

enum { LABEL_COLUMNS = 12 };

void report_add_label(Text *out, const char *label)
{
    text_add(out, "  ");
    terminal_pad(out, label, LABEL_COLUMNS);
}

static const char *report_plus_minus(TerminalStyle style)
{
    return style.utf8 ? "±" : "+-";
}

/* Adds " (modelled)" if no clock took the times, else nothing. */
static void report_add_label_of_times(const DeviceInfo *device, Text *out)
{
    if (device->modelled)
        text_printf(out, " (%s)", device_time_label(device));
}

/* ==== report place ================================================================================================ */

enum {
    NAME_COLUMNS = 24, /* of a reference solution */
    TIME_COLUMNS = 10,
    FEW = 10 /* with fewer others, "k of n" says more than a percentile */
};

/* ---- percentile and rank ----------------------------------------------------------------------------------------- */

static void add_percentile(const Percentile *percentile, const char *label, const char *others, Text *out)
{
    report_add_label(out, label);
    if (percentile->n == 0) {
        text_printf(out, "no %s to compare with yet\n", others);
        return;
    }
    char tied[40] = "";
    if (percentile->tied > 0)
        snprintf(tied, sizeof tied, ", %zu tied", percentile->tied);
    if (percentile->n < FEW)
        text_printf(out, "faster than %zu of %zu %s%s: percentile %.0f (%.0f to %.0f)\n", percentile->slower,
                    percentile->n, others, tied, percentile->value, percentile->low, percentile->high);
    else
        text_printf(out, "percentile %.1f (%.1f to %.1f): faster than %zu of %zu%s\n", percentile->value,
                    percentile->low, percentile->high, percentile->slower, percentile->n, tied);
}

static void add_rank(const ClassPlace *place, Text *out)
{
    report_add_label(out, "rank");
    if (place->rank > 0)
        text_printf(out, "%zu of %zu in the class, as %s\n", place->rank, place->percentile.n + 1, place->person);
    else
        text_printf(out, "%s\n", place->rank_status);
}

void report_add_class_place(const ClassPlace *place, Text *out)
{
    if (place->has_time)
        add_percentile(&place->percentile, "class", "others", out);
    add_rank(place, out);
}

/* The percentiles, if there is a time to compare, and the rank. */
static void report_add_place(const Result *result, Text *out)
{
    const ClassPlace place = {.has_time = result->score.ms > 0 && !result->on_cpu,
                              .percentile = result->class_,
                              .rank = result->rank,
                              .rank_status = result->rank_status,
                              .person = result->person};
    if (place.has_time)
        add_percentile(&result->references, "references", "reference solutions", out);
    report_add_class_place(&place, out);
}

/* Adds the lines that later prove that the run was recorded; adds nothing if it was not. */
static void report_add_run(const Result *result, Text *out)
{
    if (result->run == 0)
        return;
    report_add_label(out, "recorded");
    text_printf(out, "run %lld\n", (long long)result->run);
}

/* ---- the reference solutions, and the submission among them ------------------------------------------ */

typedef struct Bar {
    char name[64];
    double ms;
    bool mine;
} Bar;

static int by_ms(const void *a, const void *b)
{
    const Bar *x = a, *y = b;
    return (x->ms > y->ms) - (x->ms < y->ms);
}

static void add_bar(const Bar *bar, double longest_ms, TerminalStyle style, Text *out)
{
    int room = style.width - 2 - NAME_COLUMNS - 1 - TIME_COLUMNS - 2;
    int length = (int)lround(room * bar->ms / longest_ms);
    Text line = {0};
    terminal_pad(&line, bar->name, NAME_COLUMNS);
    text_add(&line, " ");
    for (int i = 0; i < (length < 1 ? 1 : length); i++)
        text_add(&line, bar->mine ? (style.utf8 ? "█" : "#") : (style.utf8 ? "▒" : "="));
    text_printf(&line, " %s", quantity_time(bar->ms).text);
    text_add(out, "  ");
    if (bar->mine)
        terminal_colour(style, out, COLOUR_MARK, line.data);
    else
        text_add(out, line.data);
    text_add(out, "\n");
    text_free(&line);
}

static void add_bars(const Result *result, TerminalStyle style, Text *out)
{
    if (result->reference_count == 0)
        return;
    size_t count = result->reference_count + 1;
    Bar *bars = zeroed(count, sizeof *bars);
    for (size_t i = 0; i < result->reference_count; i++) {
        const char *name = result->reference_times[i].name;
        bars[i].ms = result->reference_times[i].time.ms;
        snprintf(bars[i].name, sizeof bars[i].name, "%.*s", (int)strcspn(name, "."), name);
    }
    bars[count - 1] = (Bar){.name = "> this submission", .ms = result->score.ms, .mine = true};
    qsort(bars, count, sizeof *bars, by_ms);
    text_add(out, "\n  The reference solutions");
    if (result->device.modelled)
        text_printf(out, ", %s times", device_time_label(&result->device));
    text_add(out, ":\n");
    for (size_t i = 0; i < count; i++)
        add_bar(&bars[i], bars[count - 1].ms, style, out);
    free(bars);
}

/* Names the slowest reference solution that is significantly faster. */
static void add_next_to_beat(const Result *result, Text *out)
{
    for (size_t i = result->reference_count; i-- > 0;) {
        const ReferenceTime *reference = &result->reference_times[i];
        if (!time_is_faster(reference->time, result->score))
            continue;
        text_printf(out, "  Next to beat: %.*s, %s times as fast.\n", (int)strcspn(reference->name, "."),
                    reference->name, quantity_ratio(result->score.ms / reference->time.ms).text);
        return;
    }
    if (result->reference_count > 0)
        text_add(out, "  No reference solution is faster.\n");
}

/* Bars for the reference solutions and the submission, fastest first, and the next one to beat. */
static void add_references(const Result *result, TerminalStyle style, Text *out)
{
    add_bars(result, style, out);
    add_next_to_beat(result, out);
}

/* ==== report times ================================================================================================ */

/* The times of an accepted submission: its score, and a table of the timed cases. */

enum {
    CASE_COLUMNS = 36,
    LIMITER_COLUMNS = 18,
    OCCUPANCY_COLUMNS = 9,
    SPREAD_COLUMNS = 21, /* "59.31 us +- 0.6 %" */
    RANGE_COLUMNS = 22,  /* "58.92 us .. 60.21 us" */
    VARIATION_COLUMNS = 8,
    RATE_COLUMNS = 9,
    ROOFLINE_COLUMNS = 10
};

/* The range of the GPU's time, and why it is wider than usual. */
static void add_model_error(const Result *result, Text *out)
{
    const double factor = time_model_factor(result->score);
    report_add_label(out, "hardware");
    text_printf(out, "%s to %s for nine in ten such kernels%s\n", quantity_time(result->score.ms / factor).text,
                quantity_time(result->score.ms * factor).text,
                result->device.calibrated ? "" : " (a guess: no time was compared with such a GPU)");
    for (int i = 0; i < MODEL_DOUBTS; i++)
        if (result_score_has_doubt(result, i)) {
            report_add_label(out, "");
            text_printf(out, "wider by a factor of %s: %s\n", quantity_ratio(result->device.doubts[i]).text,
                        result_doubt_words(i));
        }
}

/* The score, with its uncertainty, and the throughput. */
static void report_add_score(const Result *result, TerminalStyle style, Text *out)
{
    report_add_label(out, "time");
    terminal_colour(style, out, COLOUR_MARK, quantity_time(result->score.ms).text);
    if (!result->device.modelled)
        text_printf(out, " %s %s", report_plus_minus(style), quantity_percent(result->score.uncertainty, 1).text);
    report_add_label_of_times(&result->device, out);
    text_add(out, ", geometric mean of the timed cases\n");
    if (result->device.modelled)
        add_model_error(result, out);
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
        text_printf(out, "  of the case \"%s\" a random %s of the blocks was simulated: %s %s\n", item->name,
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

/* A table of the timed cases. For measured times also how they were measured, and the state of the GPU. */
static void report_add_timed_cases(const Result *result, TerminalStyle style, Text *out)
{
    if (result->device.modelled) {
        add_modelled_cases(result, style, out);
        return;
    }
    add_sitting(result, style, out);
    add_measured_cases(result, style, out);
}

/* ==== report ====================================================================================================== */

enum { MAX_DIAGNOSTIC_LINES = 40, MAX_PRINTED_LINES = 12, MAX_FAILED_CASES = 6 };

/* ---- the first line ---------------------------------------------------------------------------------------------- */

static void add_headline(const Result *result, TerminalStyle style, Text *out)
{
    bool good = result->verdict == VERDICT_ACCEPTED;
    text_add(out, "\n");
    terminal_colour(style, out, good ? COLOUR_GOOD : COLOUR_BAD, verdict_name(result->verdict));
    text_add(out, "  ");
    terminal_add_line(out, result->file_name);
    text_printf(out, ", problem %s on %s", result->problem->id, result->device.name);
    if (result->by_clang)
        text_printf(out, ", compiled by %s", result->toolkit);
    text_add(out, good && result->score.ms > 0 && result->device.modelled ? ", times are modelled\n" : "\n");
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

static void add_wrong_element(Text *out, const char *which, const char *name, const WrongElement *element, size_t rank)
{
    text_printf(out, "    %-6s ", which);
    text_add(out, name);
    for (size_t i = 0; i < rank; i++)
        text_printf(out, "[%zu]", element->position[i]);
    text_printf(out, ": expected %.9g, got ", element->expected);
    if (isnan(element->got)) /* its sign says nothing */
        text_add(out, "NaN");
    else
        text_printf(out, "%.9g", element->got);
    if (isfinite(element->error))
        text_printf(out, " (off by %.3g, allowed %.3g)", element->error, element->bound);
    text_add(out, "\n");
}

static void add_sample_details(const Result *result, const CaseResult *item, Text *out)
{
    const Comparison *comparison = &item->sample->comparison;
    const char *output = result->problem->parameters[problem_output(result->problem)].name;
    text_add(out, "    sizes  ");
    sizes_add(out, result->problem, &item->sizes);
    text_add(out, "\n");
    if (!item->sample->compared || comparison->wrong == 0)
        return;
    text_printf(out, "    %zu of %zu elements are wrong\n", comparison->wrong, comparison->count);
    add_wrong_element(out, "first", output, &comparison->first, comparison->rank);
    add_wrong_element(out, "worst", output, &comparison->worst, comparison->rank);
}

/* For other cases than samples, only the power of ten of the largest error: enough to tell rounding from a mistake. */
static void add_coarse_error(const CaseResult *item, Text *out)
{
    if (item->errors.known && isfinite(item->errors.max))
        text_printf(out, "    errors up to %.0e\n", checker_coarse(item->errors.max));
}

static void add_failed_case(const Result *result, const CaseResult *item, TerminalStyle style, Text *out)
{
    text_add(out, "  ");
    terminal_colour(style, out, COLOUR_MARK, item->name);
    text_printf(out, ": %s: ", verdict_name(item->verdict));
    text_add_printable(out, item->text, strlen(item->text));
    text_add(out, "\n");
    if (item->sample != NULL)
        add_sample_details(result, item, out);
    else if (item->verdict == VERDICT_WRONG_ANSWER)
        add_coarse_error(item, out);
}

/* Shows the first few failures only. */
static void add_failures(const Result *result, TerminalStyle style, Text *out)
{
    size_t not_run = 0, failed = 0;
    for (size_t i = 0; i < result->case_count; i++) {
        const CaseResult *item = &result->cases[i];
        if (item->judged && item->verdict != VERDICT_ACCEPTED && failed++ < MAX_FAILED_CASES)
            add_failed_case(result, item, style, out);
        not_run += !item->judged;
    }
    if (failed > MAX_FAILED_CASES)
        text_printf(out, "  ... and %zu more failed cases\n", failed - MAX_FAILED_CASES);
    if (not_run > 0 && result_failed_case(result) != NULL)
        text_printf(out, "  cases that were not run: %zu\n", not_run);
    if (result->way_out != NULL)
        text_add_printable(out, result->way_out, strlen(result->way_out));
}

/* Adds at most `lines` lines of text, each after a bar; `lost` bytes are known to be missing already. */
static void add_quoted(Text *out, const char *text, int lines, uint64_t lost)
{
    for (; *text != '\0' && lines > 0; lines--) {
        size_t length = strcspn(text, "\n");
        text_add(out, "  | ");
        text_add_printable(out, text, length < 400 ? length : 400);
        text_add(out, length < 400 ? "\n" : "...\n");
        text += length + (text[length] == '\n');
    }
    lost += strlen(text);
    if (lost > 0)
        text_printf(out, "  | ... and %llu more bytes\n", (unsigned long long)lost);
}

static void add_diagnostics(const Result *result, Text *out)
{
    const Text *diagnostics = &result->compiled.diagnostics;
    if (diagnostics->length > 0)
        add_quoted(out, diagnostics->data, MAX_DIAGNOSTIC_LINES, 0);
}

/* Shows what the first sample printed that printed anything; the others mostly print the same. */
static void add_printed(const Result *result, Text *out)
{
    for (size_t i = 0; i < result->case_count; i++) {
        const CaseResult *item = &result->cases[i];
        if (item->sample == NULL || item->sample->printed[0] == '\0')
            continue;
        text_printf(out, "  printed in \"%s\":\n", item->name);
        add_quoted(out, item->sample->printed, MAX_PRINTED_LINES, item->sample->printed_lost);
        return;
    }
}

/* Where no case is timed: how near the right output is to what is allowed. */
static void add_samples(const Result *result, Text *out)
{
    for (size_t i = 0; i < result->case_count; i++) {
        const CaseResult *item = &result->cases[i];
        if (item->sample == NULL || !item->errors.known)
            continue;
        text_add(out, "  ");
        text_add_printable(out, item->name, strlen(item->name));
        text_printf(out, ": %zu of %zu elements are right, errors up to %.2g where %.2g are allowed\n",
                    item->sample->comparison.count, item->sample->comparison.count, item->errors.max,
                    item->errors.bound);
    }
}

static void add_success(const Result *result, TerminalStyle style, Text *out)
{
    if (result->rank_status[0] == '\0') {
        add_samples(result, out);
        return;
    }
    if (result->score.ms > 0)
        report_add_score(result, style, out);
    report_add_place(result, out);
    if (result->score.ms > 0)
        report_add_timed_cases(result, style, out);
    add_references(result, style, out);
}

/* Only where it differs. */
static void add_second_opinion(const SecondOpinion *opinion, TerminalStyle style, Text *out)
{
    if (!opinion->asked || opinion->none != NULL || opinion->reason == OPINION_AGREES)
        return;
    text_add(out, "  second opinion: ");
    terminal_colour(style, out, opinion->verdict == VERDICT_ACCEPTED ? COLOUR_GOOD : COLOUR_BAD,
                    verdict_name(opinion->verdict));
    text_printf(out, " on %s", opinion->device);
    if (opinion->place[0] != '\0')
        text_printf(out, ", in %s", opinion->place);
    if (opinion->text[0] != '\0') {
        text_add(out, ": ");
        text_add_printable(out, opinion->text, strlen(opinion->text));
    }
    text_printf(out, "\n    why they may differ: %s\n", opinion_reason_words(opinion->reason));
    if (opinion->place[0] != '\0')
        text_add(out, "    DEVICE=sim judges it on the simulated GPU alone\n");
}

static void add_remark(const char *kind, const char *sentence, Text *out)
{
    text_printf(out, "  %s: ", kind);
    text_add_printable(out, sentence, strlen(sentence));
    text_add(out, "\n");
}

static void add_remarks(const Result *result, Text *out)
{
    for (size_t i = 0; i < result->warning_count; i++)
        add_remark("warning", result->warnings[i], out);
    if (result->note != NULL)
        add_remark("note", result->note, out);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

void report_write(const Result *result, TerminalStyle style, Text *out)
{
    add_headline(result, style, out);
    if (result->verdict != VERDICT_ACCEPTED && result_failed_case(result) == NULL) {
        text_add(out, "  ");
        text_add_printable(out, result->text, strlen(result->text));
        text_add(out, "\n");
    }
    if (result->compiled.outcome != COMPILE_OK)
        add_diagnostics(result, out);
    add_failures(result, style, out);
    if (result->verdict == VERDICT_ACCEPTED)
        add_success(result, style, out);
    add_printed(result, out);
    add_second_opinion(&result->opinion, style, out);
    add_remarks(result, out);
    report_add_run(result, out);
}

/* ==== report for editors ========================================================================================== */

static long stand_in_line(const char *source)
{
    const char *place = text_find_word(source, "solve");
    if (place == NULL)
        place = text_find_word(source, "__global__");
    return place == NULL ? 1 : text_line_at(source, (size_t)(place - source));
}

void report_add_editor_line(const Submission *submission, const char *path, long line, const char *kind,
                            const char *sentence, Text *out)
{
    text_add_printable(out, path, strlen(path));
    text_printf(out, ":%ld: %s: ", line > 0 ? line : stand_in_line(submission->source.data), kind);
    terminal_print(out, "%s\n", sentence);
}

/* "error" for "catastrophic error: ...", "warning" for "warning #177-D: ..."; NULL: no such word stands before the colon. */
static const char *kind_of(const char *message, size_t length)
{
    static const char *const kinds[][2] = {
        {"error", "error"}, {"warning", "warning"}, {"note", "note"}, {"remark", "note"}};
    enum { MOST_BEFORE_COLON = 24 };
    char before[MOST_BEFORE_COLON + 1];
    const char *colon = memchr(message, ':', length < MOST_BEFORE_COLON ? length : MOST_BEFORE_COLON);
    snprintf(before, sizeof before, "%.*s", colon == NULL ? 0 : (int)(colon - message), message);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (text_find_word(before, kinds[i][0]) != NULL)
            return kinds[i][1];
    return NULL;
}

/* nvcc writes "x.cu(16): error: ...", g++ and clang "x.cu:16:7: error: ...", the judge "x.cu: ...". */
static void add_compiler_line(const Result *result, const Submission *submission, const char *path, const char *text,
                              Text *out)
{
    const size_t name = strlen(result->file_name);
    long line = 0;
    char *at;
    if (strncmp(text, result->file_name, name) != 0 || (text[name] != '(' && text[name] != ':')) {
        text_add_printable(out, text, strlen(text));
        text_add(out, "\n");
        return;
    }
    line = strtol(text + name + 1, &at, 10);
    if (line > 0 && *at == ':' && at[1] >= '0' && at[1] <= '9')
        (void)strtol(at + 1, &at, 10); /* the column */
    at += strspn(at, "): ");
    const char *kind = kind_of(at, strlen(at));
    if (kind != NULL)
        at += strcspn(at, ":") + 1;
    report_add_editor_line(submission, path, line, kind == NULL ? "error" : kind, at + strspn(at, " "), out);
}

static void add_compiler_lines(const Result *result, const Submission *submission, const char *path, Text *out)
{
    Arena arena = {0};
    const Text *diagnostics = &result->compiled.diagnostics;
    char *rest = diagnostics->length == 0 ? NULL : arena_copy(&arena, diagnostics->data, diagnostics->length), *line;
    while ((line = strsep(&rest, "\n")) != NULL)
        if (*line != '\0')
            add_compiler_line(result, submission, path, line, out);
    arena_free(&arena);
}

/* A wrong element of a sample follows as a note. */
static void add_case_for_editor(const Result *result, const CaseResult *item, const Submission *submission,
                                const char *path, Text *out)
{
    const long line = wording_line(item->text, result->file_name);
    const Comparison *comparison = item->sample == NULL ? NULL : &item->sample->comparison;
    Text words = {0}, element = {0};
    text_printf(&words, "%s, %s: %s", verdict_name(item->verdict), item->name, item->text);
    report_add_editor_line(submission, path, line, "error", words.data, out);
    if (comparison != NULL && item->sample->compared && comparison->wrong > 0) {
        add_wrong_element(&element, "", result->problem->parameters[problem_output(result->problem)].name,
                          &comparison->first, comparison->rank);
        element.data[element.length - 1] = '\0'; /* its line break */
        report_add_editor_line(submission, path, line, "note", element.data + strspn(element.data, " "), out);
    }
    text_free(&words);
    text_free(&element);
}

static void add_remarks_for_editor(const Result *result, const Submission *submission, const char *path, Text *out)
{
    for (size_t i = 0; i < result->warning_count; i++)
        report_add_editor_line(submission, path, wording_line(result->warnings[i], result->file_name), "warning",
                               result->warnings[i], out);
    if (result->note != NULL)
        report_add_editor_line(submission, path, wording_line(result->note, result->file_name), "note", result->note,
                               out);
}

void report_write_for_editor(const Result *result, const Submission *submission, const char *path, Text *out)
{
    static const TerminalStyle plain = {.width = 80};
    const SecondOpinion *opinion = &result->opinion;
    if (result->compiled.outcome != COMPILE_OK && result->compiled.diagnostics.length > 0)
        add_compiler_lines(result, submission, path, out);
    else if (result->verdict != VERDICT_ACCEPTED && result_failed_case(result) == NULL)
        report_add_editor_line(submission, path, wording_line(result->text, result->file_name), "error", result->text,
                               out);
    for (size_t i = 0; i < result->case_count; i++)
        if (result->cases[i].judged && result->cases[i].verdict != VERDICT_ACCEPTED)
            add_case_for_editor(result, &result->cases[i], submission, path, out);
    if (opinion->asked && opinion->text != NULL && opinion->text[0] != '\0')
        report_add_editor_line(submission, path, wording_line(opinion->text, result->file_name), "warning",
                               opinion->text, out);
    add_remarks_for_editor(result, submission, path, out);
    add_headline(result, plain, out);
}
