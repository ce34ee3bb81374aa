/* Prints one table of the CPU baselines and the reference solutions of a problem. */
#include "grader/commands/command.h"

#include "grader/judge/judge.h"
#include "grader/ranking/ladder.h"
#include "grader/authoring/sweep.h"
#include "grader/terminal/quantity.h"
#include "grader/problem/problem_read.h"
#include "harness/device/open/device_open.h"
#include "harness/session/cpu_device.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_COLUMNS = 32, TIME_COLUMNS = 10, NUMBER_COLUMNS = 11, MARKS = 2 };

typedef struct BaselineRow { /* one solution */
    const char *name, *parameters;
    double ms;         /* mean of the calls of a case, geometric mean over the timed cases; 0: not accepted */
    double gflops;     /* likewise */
    double mean_error; /* absolute error of an element, mean over the timed cases */
    Verdict verdict;
} BaselineRow;

typedef struct Table {
    const Problem *problem;
    const char *cpu, *gpu; /* names of the devices, as judge_submission() takes them */
    BaselineRow *rows;
    size_t count;
    Progress *progress;
    Arena arena;
} Table;

/* ---- one row ----------------------------------------------------------------------------------------------------- */

static double average_s(const CaseResult *item)
{
    double sum = 0;
    for (size_t i = 0; i < item->sample_count; i++)
        sum += item->samples[i].event_s;
    return sum / (double)item->sample_count;
}

static void take_figures(const Result *result, BaselineRow *row)
{
    double log_s = 0, log_gflops = 0, count = 0;
    for (size_t i = 0; i < result->case_count; i++) {
        const CaseResult *item = &result->cases[i];
        if (item->sample_count == 0)
            continue;
        log_s += log(average_s(item));
        log_gflops += log((double)item->operations / average_s(item) * 1e-9);
        row->mean_error += item->errors.mean;
        count++;
    }
    if (count == 0)
        return;
    row->ms = 1e3 * exp(log_s / count);
    row->gflops = exp(log_gflops / count);
    row->mean_error /= count;
}

/* The macros that a sweep would vary, with the values that the file defines; "" if it lists none. */
static const char *parameters_of(const Submission *submission, Arena *arena)
{
    Sweep sweep;
    Text text = {0};
    Message ignored;
    if (sweep_parse(submission->file_name, submission->source.data, &sweep, &ignored) != STATUS_OK)
        return "";
    sweep_add_defaults(&sweep, submission->source.data, &text);
    const char *parameters = text.data == NULL ? "" : arena_string(arena, text.data);
    text_free(&text);
    sweep_free(&sweep);
    return parameters;
}

static Status add_row(Table *table, const Submission *submission, const char *device, Message *why)
{
    BaselineRow *row = &table->rows[table->count++];
    Result result = {0};
    const JudgeJob job = {.problem = table->problem, .submission = submission, .device = device, .timed_only = true};
    Status status = judge_submission(&job, &result, why);
    *row = (BaselineRow){.name = arena_string(&table->arena, submission->file_name),
                         .parameters = parameters_of(submission, &table->arena),
                         .verdict = result.verdict};
    if (status == STATUS_OK && result.verdict == VERDICT_ACCEPTED)
        take_figures(&result, row);
    result_free(&result);
    progress_advance(table->progress);
    return status;
}

static Status add_rows(Table *table, const Ladder *ladder, const char *device, Message *why)
{
    Status status = STATUS_OK;
    for (size_t i = 0; i < ladder->count && status == STATUS_OK; i++)
        status = add_row(table, &ladder->rungs[i].submission, device, why);
    return status;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* The times of the first two rows that have one: every row shows its speedup over each. */
static size_t find_marks(const Table *table, double marks[MARKS])
{
    size_t count = 0;
    for (size_t i = 0; i < table->count && count < MARKS; i++)
        if (table->rows[i].ms > 0)
            marks[count++] = table->rows[i].ms;
    return count;
}

static void add_figures(const BaselineRow *row, const double marks[MARKS], size_t mark_count, Text *out)
{
    terminal_pad(out, quantity_time(row->ms).text, -TIME_COLUMNS);
    terminal_pad(out, quantity_error(row->mean_error).text, -NUMBER_COLUMNS);
    for (size_t i = 0; i < MARKS; i++)
        terminal_pad(out, i < mark_count ? quantity_ratio(marks[i] / row->ms).text : "-", -NUMBER_COLUMNS);
    terminal_pad(out, quantity_rate(row->gflops).text, -NUMBER_COLUMNS);
    if (row->parameters[0] != '\0')
        text_printf(out, "  %s", row->parameters);
}

static void add_table(const Table *table, Text *out)
{
    double marks[MARKS];
    size_t mark_count = find_marks(table, marks);
    text_add(out, "  ");
    terminal_pad(out, "rung", NAME_COLUMNS);
    text_printf(out, "%*s%*s%*s%*s%*s  parameters\n", TIME_COLUMNS, "time", NUMBER_COLUMNS, "mean error",
                NUMBER_COLUMNS, "over 1st", NUMBER_COLUMNS, "over 2nd", NUMBER_COLUMNS, "GFLOP/s");
    for (size_t i = 0; i < table->count; i++) {
        const BaselineRow *row = &table->rows[i];
        text_add(out, "  ");
        terminal_pad(out, row->name, NAME_COLUMNS);
        if (row->ms > 0)
            add_figures(row, marks, mark_count, out);
        else
            text_printf(out, " %s", row->verdict == VERDICT_ACCEPTED ? "no timed cases" : verdict_name(row->verdict));
        text_add(out, "\n");
    }
}

static void add_head(const Table *table, const DeviceInfo *cpu, const DeviceInfo *gpu, Text *out)
{
    text_printf(out, "%s (%s)\n", table->problem->id, table->problem->title);
    text_printf(out, "  .c   on %s: average by the wall clock, without the first trial\n", cpu->name);
    text_printf(out, "  .cu  on %s: average of the calls' %s\n", gpu->name,
                gpu->modelled ? "modelled times" : "CUDA events, without the warm-up");
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static bool all_have_times(const Table *table)
{
    for (size_t i = 0; i < table->count; i++)
        if (!(table->rows[i].ms > 0))
            return false;
    return true;
}

static Status print_table(const Table *table, const DeviceInfo *gpu, Message *why)
{
    DeviceInfo cpu;
    Text out = {0};
    cpu_device_describe(&cpu);
    add_head(table, &cpu, gpu, &out);
    add_table(table, &out);
    bool written = fwrite(out.data, 1, out.length, stdout) == out.length && fflush(stdout) == 0;
    text_free(&out);
    return written ? STATUS_OK : fail_errno(why, "standard output: cannot be written");
}

/* Baselines and reference solutions run the same timed cases: those of the GPU. */
static Status time_rows(Table *table, const Ladder *baselines, const Ladder *references, Message *why)
{
    size_t count = baselines->count + references->count;
    if (count == 0)
        return fail(STATUS_NOT_FOUND, why, "problem %s has neither CPU baselines nor reference solutions",
                    table->problem->id);
    table->rows = arena_array(&table->arena, count, sizeof *table->rows);
    progress_begin(table->progress, "rungs", (int)count);
    Status status = add_rows(table, baselines, "cpu", why);
    if (status == STATUS_OK)
        status = add_rows(table, references, table->gpu, why);
    progress_end(table->progress, status == STATUS_OK ? "all timed" : "failed");
    return status;
}

static Status make_table(const Problem *problem, const char *device, int *exit_status, Message *why)
{
    DeviceInfo gpu;
    Ladder baselines = {0}, references = {0};
    Progress progress = progress_new(stderr);
    Table table = {.problem = problem, .gpu = gpu.handle, .progress = &progress};
    Status status = device_describe(device, &gpu, why);
    if (status == STATUS_OK)
        judge_note_device(&progress, &gpu);
    if (status == STATUS_OK)
        status = ladder_read_baselines(problem, &baselines, why);
    if (status == STATUS_OK)
        status = ladder_read(problem, &references, why);
    if (status == STATUS_OK)
        status = time_rows(&table, &baselines, &references, why);
    if (status == STATUS_OK)
        status = print_table(&table, &gpu, why);
    *exit_status = all_have_times(&table) ? 0 : 1;
    ladder_free(&baselines);
    ladder_free(&references);
    arena_free(&table.arena);
    return status;
}

Status command_baselines(const Options *options, int *exit_status, Message *why)
{
    Problem problem;
    Status status = options_expect_problem(options, why);
    if (status == STATUS_OK)
        status = problem_read(options->problem, &problem, why);
    if (status != STATUS_OK)
        return status;
    status = make_table(&problem, options->device == NULL ? "auto" : options->device, exit_status, why);
    problem_free(&problem);
    return status;
}
