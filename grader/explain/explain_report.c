#include "grader/explain/explain_report.h"

#include "grader/explain/case_choice.h"
#include "grader/explain/explain_listing.h"
#include "grader/explain/kernel_names.h"
#include "grader/report/limiter.h"
#include "grader/terminal/quantity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LABEL_COLUMNS = 11,
    LEAST_WIDTH = 100, /* of a listing, unless the terminal is known to be narrower */
};

static const double LEAST_SHARE = 0.05; /* of the time: kernels with less are not shown */

/* ---- words ------------------------------------------------------------------------------------------------------- */

static int width_of(TerminalStyle style)
{
    return !style.redraw && style.width < LEAST_WIDTH ? LEAST_WIDTH : style.width;
}

static void add_label(Text *out, const char *label)
{
    text_add(out, "    ");
    terminal_pad(out, label, LABEL_COLUMNS);
}

/* Names come from the submission and may contain any bytes. */
static void add_name(TerminalStyle style, Text *out, const char *name)
{
    Text shown = {0};
    terminal_add_line(&shown, name);
    terminal_colour(style, out, COLOUR_MARK, shown.data == NULL ? "" : shown.data);
    text_free(&shown);
}

/* Adds words broken into lines of at most `width` columns. The first line begins at column `at`, the others at
 * `indent`. */
static void add_folded(Text *out, const char *words, int at, int indent, int width)
{
    while (*words != '\0') {
        size_t length = strcspn(words, " ");
        if (at + (int)length > width && at > indent) {
            text_printf(out, "\n%*s", indent, "");
            at = indent;
        }
        text_append(out, words, length);
        at += (int)length;
        words += length;
        if (*words == ' ') {
            words++;
            if (at + 1 + (int)strcspn(words, " ") <= width)
                text_add(out, " ");
            at++;
        }
    }
    text_add(out, "\n");
}

/* ---- above the listing ------------------------------------------------------------------------------------------- */

static void add_headline(const ExplainReport *report, TerminalStyle style, Text *out)
{
    const Result *result = report->result;
    const Explanation *explanation = &report->shown->explanation;
    text_add(out, "\n");
    add_name(style, out, result->file_name);
    text_printf(out, ", problem %s on %s, case \"%s\": ", result->problem->id, result->device.name,
                report->shown->item->name);
    text_printf(out, "%s (modelled)\n", quantity_time(1e3 * explanation->seconds).text);
    double copies_s = explanation->profile->device_copies.seconds + explanation->profile->host_copies.seconds;
    if (explanation->profile->host_copies.count + explanation->profile->device_copies.count > 0)
        text_printf(out, "  copies and fills: %llu within the device, %llu to or from the host, %s of the time\n",
                    (unsigned long long)explanation->profile->device_copies.count,
                    (unsigned long long)explanation->profile->host_copies.count,
                    quantity_percent(copies_s / explanation->seconds, 0).text);
    if (explanation->wait_s > 0.01 * explanation->seconds)
        text_printf(out, "  the device waits for the host: %s of the time\n",
                    quantity_percent(explanation->wait_s / explanation->seconds, 0).text);
    if (explanation->profile->kernels_left_out > 0)
        text_printf(out, "  launches of kernels that are not shown: %llu\n",
                    (unsigned long long)explanation->profile->kernels_left_out);
    if (explanation->profile->lines_left_out > 0)
        text_printf(out, "  counts for lines that are not shown: %llu\n",
                    (unsigned long long)explanation->profile->lines_left_out);
}

/* What limits the kernel that takes most of the time. */
static const char *limiter_of_case(const Explanation *explanation)
{
    const ExplainedKernel *longest = NULL;
    for (uint32_t i = 0; i < explanation->profile->kernel_count; i++)
        if (longest == NULL || explanation->kernels[i].share > longest->share)
            longest = &explanation->kernels[i];
    return longest == NULL ? "" : limiter_words(longest->cost.limiter);
}

/* The timed cases that were run. All count the same in the score. */
static void add_cases(const ExplainReport *report, TerminalStyle style, Text *out)
{
    enum { TIME_COLUMNS = 11, BOUND_COLUMNS = 18, NAME_COLUMNS = 42 };
    const double TENTH = 0.1;
    bool measured = report->gpu != NULL && report->time_note == NULL;
    text_printf(out, "\n  Timed cases; in the score, a geometric mean of %d, 10 %% less time in one are %s\n",
                report->timed_count, quantity_percent(case_choice_score_gain(report->timed_count, TENTH), 1).text);
    for (size_t i = 0; i < report->case_count; i++) {
        const ExplainedCase *one = &report->cases[i];
        text_printf(out, "  %s%3d  ", one == report->shown && report->case_count > 1 ? ">" : " ", one->number);
        terminal_pad(out, one->item->name, NAME_COLUMNS);
        terminal_pad(out, quantity_time(1e3 * one->explanation.seconds).text, -TIME_COLUMNS);
        if (measured)
            terminal_pad(out, one->measured_s > 0 ? quantity_time(1e3 * one->measured_s).text : "", -TIME_COLUMNS);
        text_add(out, "  ");
        terminal_pad(out, limiter_of_case(&one->explanation), BOUND_COLUMNS);
        if (one->advice_count > 0)
            text_printf(out, " %s", one->advice[0].id);
        text_add(out, "\n");
    }
    if (measured)
        text_printf(out, "  modelled, then measured on %s\n", report->gpu);
    if (report->time_note != NULL) {
        text_add(out, "  not measured: ");
        terminal_add_line(out, report->time_note);
        text_add(out, "\n");
    }
}

static void add_bound(const ExplainedKernel *kernel, Text *out)
{
    add_label(out, "bound");
    text_printf(out, "%s, which alone would take %s of the time", limiter_words(kernel->cost.limiter),
                quantity_percent(kernel->bound_share, 0).text);
    const CostPart *second = NULL;
    for (int i = 0; i < kernel->cost.part_count; i++) {
        const CostPart *part = &kernel->cost.parts[i];
        if (strcmp(part->name, kernel->cost.limiter) != 0 && (second == NULL || part->seconds > second->seconds))
            second = part;
    }
    if (second != NULL)
        text_printf(out, "; next: %s, %s", limiter_words(second->name),
                    quantity_percent(second->seconds / kernel->cost.seconds, 0).text);
    text_add(out, "\n");
}

static void add_roofline(const HardwareProfile *hardware, const ExplainedKernel *kernel, Text *out)
{
    double ridge = hardware->fma_flops_per_s / hardware->dram_read_bytes_per_s;
    add_label(out, "roofline");
    if (!(kernel->flops > 0)) {
        text_add(out, "no floating-point operations\n");
        return;
    }
    text_printf(out, "%s flops per byte (%s of the ridge at %s): %s of %s GFLOP/s, %s\n",
                quantity_ratio(kernel->intensity).text, kernel->intensity < ridge ? "memory side" : "compute side",
                quantity_ratio(ridge).text, quantity_rate(kernel->gflops).text, quantity_rate(kernel->roof_gflops).text,
                quantity_percent(kernel->gflops / kernel->roof_gflops, 1).text);
}

static void add_occupancy(const ExplainedKernel *kernel, Text *out)
{
    add_label(out, "occupancy");
    text_printf(out, "%s, %u block%s per multiprocessor", quantity_percent(kernel->cost.occupancy, 0).text,
                kernel->resident_blocks, kernel->resident_blocks == 1 ? "" : "s");
    if (kernel->cost.occupancy < 1)
        text_printf(out, ", limited by %s", kernel->occupancy_limit);
    text_printf(out, "; achieved %s, in %s wave%s of blocks\n", quantity_percent(kernel->achieved_occupancy, 0).text,
                quantity_ratio(kernel->waves).text, kernel->waves == 1 ? "" : "s");
}

static void add_resources(const ExplainedKernel *kernel, Text *out)
{
    const ProfileKernel *profile = kernel->profile;
    const SimCounters *counters = &profile->counters;
    add_label(out, "uses");
    uint32_t spilled = profile->frame_bytes > profile->local_bytes ? profile->frame_bytes - profile->local_bytes : 0;
    text_printf(out, "%u registers, %u bytes spilled; bytes of shared memory %u, of local %u;\n", profile->registers,
                spilled, profile->static_shared_bytes + profile->shape.dynamic_shared_bytes, profile->local_bytes);
    double computing = fmax(1, (double)(counters->fp32 + counters->fp64));
    add_label(out, "");
    text_printf(out, "%s instructions per floating-point instruction\n",
                quantity_ratio((double)counters->lane_instructions / computing).text);
}

static void add_kernel(const ExplainReport *report, const ExplainedKernel *kernel, TerminalStyle style, Text *out)
{
    const ProfileKernel *profile = kernel->profile;
    text_add(out, "\n  ");
    add_name(style, out, kernel->name);
    text_printf(out, "<<<(%u,%u,%u), (%u,%u,%u)>>>", profile->shape.grid[0], profile->shape.grid[1],
                profile->shape.grid[2], profile->shape.block[0], profile->shape.block[1], profile->shape.block[2]);
    if (profile->launches > 1)
        text_printf(out, " x %llu", (unsigned long long)profile->launches);
    text_printf(out, ": %s, %s of the time\n", quantity_time(1e3 * profile->seconds).text,
                quantity_percent(kernel->share, 0).text);
    add_bound(kernel, out);
    add_roofline(report->shown->explanation.hardware, kernel, out);
    add_occupancy(kernel, out);
    add_resources(kernel, out);
}

/* Shows the kernels that matter, and the sum of the others in one line. */
static void add_kernels(const ExplainReport *report, TerminalStyle style, Text *out)
{
    const Explanation *explanation = &report->shown->explanation;
    uint32_t count = explanation->profile->kernel_count, hidden = 0;
    double largest = 0, hidden_share = 0;
    for (uint32_t i = 0; i < count; i++)
        largest = fmax(largest, explanation->kernels[i].share);
    for (uint32_t i = 0; i < count; i++) {
        const ExplainedKernel *kernel = &explanation->kernels[i];
        if (kernel->share >= fmin(LEAST_SHARE, largest)) {
            add_kernel(report, kernel, style, out);
        } else {
            hidden++;
            hidden_share += kernel->share;
        }
    }
    if (hidden > 0)
        text_printf(out, "\n  kernels (or launch shapes) that are not shown: %u, with %s of the time\n", hidden,
                    quantity_percent(hidden_share, 0).text);
}

/* Sketches are made of the submission's own words, which may contain any bytes. */
static void add_sketch(const char *sketch, int indent, int width, Text *out)
{
    while (*sketch != '\0') {
        size_t length = strcspn(sketch, "\n");
        text_printf(out, "%*s", indent, "");
        explain_source_line(sketch, length, width - indent, out);
        text_add(out, "\n");
        sketch += length + (sketch[length] == '\n');
    }
}

static bool is_advised(const ExplainedCase *shown, const char *id)
{
    for (size_t i = 0; i < shown->advice_count; i++)
        if (strcmp(shown->advice[i].id, id) == 0)
            return true;
    return false;
}

/* Around the kernels of a call, memory that is taken and given back costs nothing that a clock of the device sees, so there is no
 * gain to advise it for. Memory of the first call that is kept is not freed. */
static void add_allocations(const ExplainReport *report, TerminalStyle style, Text *out)
{
    enum { INDENT = 2 };
    const ExecutionProfile *profile = report->shown->explanation.profile;
    int line = first_line_with(report->submission->source.data, "cudaMalloc");
    Text words = {0};
    if (profile->allocations == 0 || profile->releases == 0 || is_advised(report->shown, "allocations"))
        return;
    if (line > 0)
        text_printf(&words, "line %d: ", line);
    text_printf(
        &words,
        "this call allocates device memory (%llu allocation%s) and frees it. The host's time for that is part of "
        "no time here, but other programs wait for it: keep the memory for the next call",
        (unsigned long long)profile->allocations, profile->allocations > 1 ? "s" : "");
    text_printf(out, "\n%*s", INDENT, "");
    add_folded(out, words.data, INDENT, INDENT, width_of(style));
    text_free(&words);
}

static void add_advice(const ExplainReport *report, TerminalStyle style, Text *out)
{
    enum { INDENT = 5 };
    text_add(out, "\n  ");
    if (report->shown->advice_count == 0) {
        text_add(out, "No advice: no rule found a change that would gain enough.\n");
        return;
    }
    terminal_colour(style, out, COLOUR_MARK, "Advice");
    text_add(out, ", each with what the call would gain by it alone, and its time then, by the model\n");
    for (size_t i = 0; i < report->shown->advice_count; i++) {
        const Advice *advice = &report->shown->advice[i];
        Text words = {0};
        if (advice->line > 0)
            text_printf(&words, "line %d: ", advice->line);
        terminal_add_line(&words, advice->text);
        text_printf(&words, " (%s, to %s)", quantity_percent(advice->gain, 0).text,
                    quantity_time(1e3 * advice->after_s).text);
        text_printf(out, "  %zu. ", i + 1);
        add_folded(out, words.data, INDENT, INDENT, width_of(style));
        text_free(&words);
        add_sketch(advice->sketch, 2 * INDENT, width_of(style), out);
    }
}

/* ---- what was measured ------------------------------------------------------------------------------------------- */

/* The simulated value of a metric, for all kernels with this name together. */
static double simulated(const Explanation *explanation, const char *name, NcuMetric metric)
{
    double sum = 0;
    for (uint32_t i = 0; i < explanation->profile->kernel_count; i++) {
        const ExplainedKernel *kernel = &explanation->kernels[i];
        const SimCounters *counters = &kernel->profile->counters;
        if (strcmp(kernel->name, name) != 0)
            continue;
        switch (metric) {
        case NCU_SECONDS: sum += kernel->profile->seconds; break;
        case NCU_OCCUPANCY: sum = kernel->cost.occupancy; break;
        case NCU_WARP_INSTRUCTIONS: sum += (double)counters->warp_instructions; break;
        case NCU_LOAD_REQUESTS: sum += (double)counters->global_load_requests; break;
        case NCU_LOAD_SECTORS: sum += (double)counters->global_load_sectors; break;
        case NCU_STORE_SECTORS: sum += (double)counters->global_store_sectors; break;
        case NCU_SHARED_WAVEFRONTS:
            sum += (double)(counters->shared_load_wavefronts + counters->shared_store_wavefronts);
            break;
        case NCU_DRAM_BYTES: sum += kernel->dram_bytes; break;
        case NCU_METRICS: break;
        }
    }
    return sum;
}

static Quantity measured_quantity(NcuMetric metric, double value)
{
    switch (metric) {
    case NCU_SECONDS: return quantity_time(1e3 * value);
    case NCU_OCCUPANCY: return quantity_percent(value, 0);
    case NCU_WARP_INSTRUCTIONS:
    case NCU_LOAD_REQUESTS:
    case NCU_LOAD_SECTORS:
    case NCU_STORE_SECTORS:
    case NCU_SHARED_WAVEFRONTS:
    case NCU_DRAM_BYTES:
    case NCU_METRICS: break;
    }
    return quantity_count(value);
}

static void add_measured_kernel(const ExplainReport *report, const NcuKernel *kernel, Text *out)
{
    static const char *const words[NCU_METRICS] = {
        [NCU_SECONDS] = "time",
        [NCU_OCCUPANCY] = "occupancy",
        [NCU_WARP_INSTRUCTIONS] = "warp instructions",
        [NCU_LOAD_REQUESTS] = "global load requests",
        [NCU_LOAD_SECTORS] = "global load sectors",
        [NCU_STORE_SECTORS] = "global store sectors",
        [NCU_SHARED_WAVEFRONTS] = "shared memory wavefronts",
        [NCU_DRAM_BYTES] = "bytes of DRAM traffic",
    };
    text_add(out, "    ");
    terminal_add_line(out, kernel->name);
    text_printf(out, ", %.0f launch%s\n", kernel->launches, kernel->launches > 1 ? "es" : "");
    for (int metric = 0; metric < NCU_METRICS; metric++) {
        text_add(out, "      ");
        terminal_pad(out, words[metric], 24);
        double expected = simulated(&report->shown->explanation, kernel->name, (NcuMetric)metric);
        terminal_pad(out, measured_quantity((NcuMetric)metric, kernel->values[metric]).text, -14);
        terminal_pad(out, measured_quantity((NcuMetric)metric, expected).text, -14);
        text_add(out, "\n");
    }
}

static void add_measured(const ExplainReport *report, TerminalStyle style, Text *out)
{
    if (report->note == NULL && report->measurement->count == 0)
        return;
    text_add(out, "\n  ");
    terminal_colour(style, out, COLOUR_MARK, "Nsight Compute");
    if (report->note != NULL) {
        text_add(out, ": ");
        terminal_add_line(out, report->note);
        text_add(out, "\n");
        return;
    }
    text_printf(out, " on %s\n%30s%14s%14s\n", report->gpu, "", "measured", "simulated");
    for (size_t i = 0; i < report->measurement->count; i++)
        add_measured_kernel(report, &report->measurement->kernels[i], out);
}

void explain_report_write(const ExplainReport *report, TerminalStyle style, Text *out)
{
    add_headline(report, style, out);
    add_cases(report, style, out);
    add_kernels(report, style, out);
    add_advice(report, style, out);
    add_allocations(report, style, out);
    add_measured(report, style, out);
    explain_listing(&report->shown->explanation, report->submission->source.data, style, width_of(style), out);
}
