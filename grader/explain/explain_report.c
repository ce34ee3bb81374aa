#include "grader/explain/explain_report.h"

#include "grader/report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LABEL_COLUMNS = 11,
    LEAST_WIDTH = 100, /* where the place is not known to be narrower: a listing wants it */
    GAP_LINES = 3      /* lines without instructions that are shown between others */
};

static const double LEAST_SHARE = 0.05; /* of the time, for a kernel to be shown */

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

/* Names come from the submission, and may hold anything. */
static void add_name(TerminalStyle style, Text *out, const char *name)
{
    Text shown = {0};
    terminal_add_line(&shown, name);
    terminal_colour(style, out, COLOUR_MARK, shown.data == NULL ? "" : shown.data);
    text_free(&shown);
}

static void add_seconds(Text *out, double seconds)
{
    timing_add_text(out, 1e3 * seconds);
}

/* Words broken into lines; those after the first begin `indent` columns to the right. */
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

/* "640", "16.4K", "2.1M" */
static void add_short(Text *out, double count)
{
    static const char *const units[] = {"", "K", "M", "G", "T"};
    size_t unit = 0;
    while (count >= 1000 && unit + 1 < sizeof units / sizeof *units) {
        count /= 1000;
        unit++;
    }
    text_printf(out, unit == 0 || count >= 99.95 ? "%.0f%s" : "%.1f%s", count, units[unit]);
}

static void add_count(Text *out, double count, int columns)
{
    Text text = {0};
    add_short(&text, count);
    terminal_pad(out, text.data, -columns);
    text_free(&text);
}

/* A quotient that stays empty where nothing is divided. */
static void add_quotient(Text *out, double a, double b, int columns)
{
    if (b > 0)
        text_printf(out, "%*.1f", columns, a / b);
    else
        text_printf(out, "%*s", columns, "");
}

/* ---- above the listing ------------------------------------------------------------------------------------------- */

static void add_headline(const ExplainReport *report, TerminalStyle style, Text *out)
{
    const Result *result = report->result;
    const Explanation *explanation = report->explanation;
    text_add(out, "\n");
    add_name(style, out, result->file_name);
    text_printf(out, ", problem %s on %s, case \"%s\": ", result->problem->id, result->device.name,
                result->cases[0].name);
    add_seconds(out, explanation->seconds);
    text_add(out, " (modelled)\n");
    if (explanation->profile->host_copies.count + explanation->profile->device_copies.count > 0)
        text_printf(out, "  copies and fills: %llu within the device, %llu to or from the host, %.0f %% of the time\n",
                    (unsigned long long)explanation->profile->device_copies.count,
                    (unsigned long long)explanation->profile->host_copies.count,
                    100 * (explanation->profile->device_copies.seconds + explanation->profile->host_copies.seconds) /
                        explanation->seconds);
    if (explanation->profile->kernels_left_out > 0)
        text_printf(out, "  launches in further shapes, not shown: %llu\n",
                    (unsigned long long)explanation->profile->kernels_left_out);
    if (explanation->profile->lines_left_out > 0)
        text_printf(out, "  counts of further lines, not shown: %llu\n",
                    (unsigned long long)explanation->profile->lines_left_out);
}

static void add_bound(const ExplainedKernel *kernel, Text *out)
{
    add_label(out, "bound");
    text_printf(out, "%s, which alone would take %.0f %% of the time", report_limiter_words(kernel->cost.limiter),
                100 * kernel->bound_share);
    const CostPart *second = NULL;
    for (int i = 0; i < kernel->cost.part_count; i++) {
        const CostPart *part = &kernel->cost.parts[i];
        if (strcmp(part->name, kernel->cost.limiter) != 0 && (second == NULL || part->seconds > second->seconds))
            second = part;
    }
    if (second != NULL)
        text_printf(out, "; next: %s, %.0f %%", report_limiter_words(second->name),
                    100 * second->seconds / kernel->cost.seconds);
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
    text_printf(out, "%.3g flops a byte (%s of the ridge at %.3g): %.0f of %.0f GFLOP/s, %.3g %%\n", kernel->intensity,
                kernel->intensity < ridge ? "memory side" : "compute side", ridge, kernel->gflops, kernel->roof_gflops,
                100 * kernel->gflops / kernel->roof_gflops);
}

static void add_occupancy(const ExplainedKernel *kernel, Text *out)
{
    add_label(out, "occupancy");
    text_printf(out, "%.0f %%, %u block%s a multiprocessor", 100 * kernel->cost.occupancy, kernel->resident_blocks,
                kernel->resident_blocks == 1 ? "" : "s");
    if (kernel->cost.occupancy < 1)
        text_printf(out, ", limited by %s", kernel->occupancy_limit);
    text_printf(out, "; %.3g wave%s of blocks\n", kernel->waves, kernel->waves == 1 ? "" : "s");
}

static void add_resources(const ExplainedKernel *kernel, Text *out)
{
    const ProfileKernel *profile = kernel->profile;
    const SimCounters *counters = &profile->counters;
    add_label(out, "uses");
    text_printf(out, "%u registers, %u bytes of shared and %u of local memory; ", profile->registers,
                profile->static_shared_bytes + profile->dynamic_shared_bytes, profile->local_bytes);
    text_printf(out, "%.3g instructions for each that computes\n",
                (double)counters->lane_instructions / fmax(1, (double)(counters->fp32 + counters->fp64)));
}

static void add_kernel(const ExplainReport *report, const ExplainedKernel *kernel, TerminalStyle style, Text *out)
{
    const ProfileKernel *profile = kernel->profile;
    text_add(out, "\n  ");
    add_name(style, out, kernel->name);
    text_printf(out, "<<<(%u,%u,%u), (%u,%u,%u)>>>", profile->grid[0], profile->grid[1], profile->grid[2],
                profile->block[0], profile->block[1], profile->block[2]);
    if (profile->launches > 1)
        text_printf(out, " x %llu", (unsigned long long)profile->launches);
    text_add(out, ": ");
    add_seconds(out, profile->seconds);
    text_printf(out, ", %.0f %% of the time\n", 100 * kernel->share);
    add_bound(kernel, out);
    add_roofline(report->explanation->hardware, kernel, out);
    add_occupancy(kernel, out);
    add_resources(kernel, out);
}

/* Those that matter; the others in a line. */
static void add_kernels(const ExplainReport *report, TerminalStyle style, Text *out)
{
    const Explanation *explanation = report->explanation;
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
        text_printf(out, "\n  kernels, or shapes of them, that are not shown: %u, with %.0f %% of the time\n", hidden,
                    100 * hidden_share);
}

static void add_advice(const ExplainReport *report, TerminalStyle style, Text *out)
{
    enum { INDENT = 5 };
    text_add(out, "\n  ");
    if (report->advice_count == 0) {
        text_add(out, "No advice: nothing that is looked for would gain enough.\n");
        return;
    }
    terminal_colour(style, out, COLOUR_MARK, "Advice");
    text_add(out, ", with what it would gain by the model\n");
    for (size_t i = 0; i < report->advice_count; i++) {
        const Advice *advice = &report->advice[i];
        Text words = {0};
        if (advice->line > 0)
            text_printf(&words, "line %d: ", advice->line);
        terminal_add_line(&words, advice->text);
        text_printf(&words, " (%.0f %%)", 100 * advice->gain);
        text_printf(out, "  %zu. ", i + 1);
        add_folded(out, words.data, INDENT, INDENT, width_of(style));
        text_free(&words);
    }
}

/* ---- the listing ------------------------------------------------------------------------------------------------- */

typedef struct Row { /* one source line, summed over kernels */
    double share;
    SimLine counts;
} Row;

static size_t count_lines(const char *text)
{
    size_t lines = 1;
    for (; *text != '\0'; text++)
        lines += *text == '\n';
    return lines;
}

/* Also tells what share has no line of the submission's own. */
static Row *gather_rows(const ExplainReport *report, size_t count, double *elsewhere)
{
    const Explanation *explanation = report->explanation;
    Row *rows = arena_array((Arena *)&report->result->arena, count + 1, sizeof *rows);
    *elsewhere = 0;
    for (uint32_t i = 0; i < explanation->profile->line_count; i++) {
        const ProfileLine *line = &explanation->profile->lines[i];
        bool own = explain_is_own_line(explanation, line) && line->counts.line >= 1 &&
                   (size_t)line->counts.line <= count;
        if (own) {
            rows[line->counts.line].share += explanation->line_shares[i];
            simgpu_line_add(&rows[line->counts.line].counts, &line->counts);
        } else {
            *elsewhere += explanation->line_shares[i];
        }
    }
    return rows;
}

static void add_figures(const Row *row, Text *out)
{
    const SimLine *line = &row->counts;
    const SimCounters *counters = &line->counters;
    double requests = (double)(counters->global_load_requests + counters->global_store_requests);
    double sectors = (double)(counters->global_load_sectors + counters->global_store_sectors);
    double ideal = (double)(line->ideal_load_sectors + line->ideal_store_sectors);
    double shared = (double)(counters->shared_load_requests + counters->shared_store_requests);
    double wavefronts = (double)(counters->shared_load_wavefronts + counters->shared_store_wavefronts);
    double constant = (double)counters->constant_requests;
    text_printf(out, "%5.1f%%", 100 * row->share);
    add_count(out, (double)line->executions, 7);
    add_quotient(out, (double)counters->lane_instructions, (double)counters->warp_instructions, 6);
    if (requests > 0)
        add_quotient(out, sectors, requests, 6);
    else
        add_quotient(out, (double)counters->texture_sectors, (double)counters->texture_requests, 6);
    add_quotient(out, ideal, requests, 6);
    add_quotient(out, shared > 0 ? wavefronts : constant + (double)counters->constant_replays,
                 shared > 0 ? shared : constant, 7);
    if (counters->divergent_branches > 0)
        text_printf(out, "%6.0f%%", 100 * fmin(1, (double)counters->divergent_branches / (double)line->executions));
    else
        text_printf(out, "%7s", "");
}

/* Tabs become four columns' worth of spaces, so that lines can be cut. */
static void add_source_line(const char *text, size_t length, int columns, Text *out)
{
    Text line = {0}, shown = {0};
    for (size_t i = 0; i < length; i++)
        text_append(&line, text[i] == '\t' ? "    " : &text[i], text[i] == '\t' ? 4 : 1);
    terminal_add_line(&shown, line.data == NULL ? "" : line.data);
    if (shown.data != NULL && terminal_columns(shown.data) > columns)
        terminal_pad(out, shown.data, columns);
    else
        text_add(out, shown.data == NULL ? "" : shown.data);
    text_free(&line);
    text_free(&shown);
}

static bool is_near_code(const Row *rows, size_t count, size_t line)
{
    for (size_t other = line > GAP_LINES ? line - GAP_LINES : 1; other <= line + GAP_LINES && other <= count; other++)
        if (rows[other].counts.executions > 0)
            return true;
    return false;
}

static void add_listing(const ExplainReport *report, TerminalStyle style, Text *out)
{
    enum { FIGURES = 45, BEFORE = 55 };
    const char *source = report->submission->source.data;
    size_t count = count_lines(source);
    double elsewhere, own = 0;
    const Row *rows = gather_rows(report, count, &elsewhere);
    bool skipped = false;
    text_printf(out, "\n%38s\n", "sectors");
    text_printf(out, "%6s %6s%7s%6s%6s%6s%7s%7s\n", "line", "time", "warps", "lanes", "got", "ideal", "passes",
                "splits");
    for (size_t number = 1; number <= count; number++) {
        size_t length = strcspn(source, "\n");
        bool shown = is_near_code(rows, count, number);
        if (shown) {
            text_add(out, skipped && own > 0 ? "   ...\n" : "");
            text_printf(out, "%6zu ", number);
            if (rows[number].counts.executions > 0)
                add_figures(&rows[number], out);
            else
                text_printf(out, "%*s", FIGURES, "");
            text_add(out, style.utf8 ? " │ " : " | ");
            add_source_line(source, length, width_of(style) - BEFORE, out);
            text_add(out, "\n");
        }
        own += rows[number].share;
        skipped = !shown;
        source += length + (source[length] == '\n');
    }
    text_printf(out, "%6s%6.1f%% in lines of headers, %.1f%% in launches, starts of blocks and copies\n", "",
                100 * elsewhere, 100 * fmax(0, 1 - own - elsewhere));
}

/* ---- what was measured ------------------------------------------------------------------------------------------- */

/* The simulated figure for what ncu measures, of all kernels with that name. */
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

static void add_value(Text *out, NcuMetric metric, double value)
{
    Text text = {0};
    if (value < 0)
        text_add(&text, "-");
    else if (metric == NCU_SECONDS)
        add_seconds(&text, value);
    else if (metric == NCU_OCCUPANCY)
        text_printf(&text, "%.0f %%", 100 * value);
    else
        add_short(&text, value);
    terminal_pad(out, text.data, -14);
    text_free(&text);
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
        [NCU_SHARED_WAVEFRONTS] = "shared memory passes",
        [NCU_DRAM_BYTES] = "bytes of DRAM traffic",
    };
    text_add(out, "    ");
    terminal_add_line(out, kernel->name);
    text_printf(out, ", %.0f launch%s\n", kernel->launches, kernel->launches > 1 ? "es" : "");
    for (int metric = 0; metric < NCU_METRICS; metric++) {
        text_add(out, "      ");
        terminal_pad(out, words[metric], 24);
        add_value(out, (NcuMetric)metric, kernel->values[metric]);
        add_value(out, (NcuMetric)metric, simulated(report->explanation, kernel->name, (NcuMetric)metric));
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
    add_kernels(report, style, out);
    add_advice(report, style, out);
    add_measured(report, style, out);
    add_listing(report, style, out);
}
