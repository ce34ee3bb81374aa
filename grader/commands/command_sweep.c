/* Times a file with every combination of its macros. Each combination is judged on the timed cases alone, where its
 * whole output is checked: a combination that breaks the kernel shows its verdict instead of a time. */
#include "grader/commands/command.h"

#include "grader/judge/judge.h"
#include "grader/terminal/plot.h"
#include "grader/terminal/quantity.h"
#include "grader/authoring/sweep.h"

#include <stdio.h>
#include <string.h>

enum { VALUE_COLUMNS = 12, TIME_COLUMNS = 12, UNCERTAINTY_COLUMNS = 10, RATE_COLUMNS = 10 };

typedef struct SweepPoint { /* the result of one combination */
    Verdict verdict;
    MeasuredTime time; /* ms 0: no time */
    double gflops;
} SweepPoint;

typedef struct Sweeping {
    const Options *options;
    Submission submission;
    Problem problem;
    bool problem_is_read;
    Sweep sweep;
    SweepPoint *points;
    const SweepPoint *best; /* NULL: no combination was accepted */
    DeviceInfo device;
    Arena arena;
} Sweeping;

/* ---- the combinations -------------------------------------------------------------------------------------------- */

static Status read_request(Sweeping *sweeping, Message *why)
{
    const Options *options = sweeping->options;
    Status status = options_expect_file(options, why);
    if (status == STATUS_OK)
        status = submission_read(options->operands[0], &sweeping->submission, why);
    if (status == STATUS_OK)
        status = sweep_parse(options->operands[0], sweeping->submission.source.data, &sweeping->sweep, why);
    if (status == STATUS_OK)
        status = submission_problem(&sweeping->submission, options->problem, &sweeping->problem, why);
    sweeping->problem_is_read = status == STATUS_OK;
    return status;
}

static Status time_combination(Sweeping *sweeping, size_t combination, Message *why)
{
    Submission changed = sweeping->submission;
    SweepPoint *point = &sweeping->points[combination];
    Result result = {0};
    changed.source = (Text){0};
    sweep_add_source(&sweeping->sweep, combination, sweeping->submission.source.data, &changed.source);
    const JudgeJob job = {
        .problem = &sweeping->problem,
        .submission = &changed,
        .device = sweeping->options->device == NULL ? "auto" : sweeping->options->device,
        .timed_only = true,
    };
    Status status = judge_submission(&job, &result, why);
    *point = (SweepPoint){.verdict = result.verdict, .time = result.score, .gflops = result.gflops};
    if (point->time.ms > 0 && (sweeping->best == NULL || point->time.ms < sweeping->best->time.ms))
        sweeping->best = point;
    sweeping->device = result.device;
    result_free(&result);
    text_free(&changed.source);
    return status;
}

static Status time_all(Sweeping *sweeping, Message *why)
{
    Progress progress = progress_new(stderr);
    Status status = STATUS_OK;
    size_t count = sweeping->sweep.combinations;
    sweeping->points = arena_array(&sweeping->arena, count, sizeof *sweeping->points);
    progress_begin(&progress, "combinations", (int)count);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        status = time_combination(sweeping, i, why);
        progress_advance(&progress);
    }
    progress_end(&progress, status == STATUS_OK ? "all timed" : "failed");
    judge_note_device(&progress, &sweeping->device);
    return status;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* Wide enough for the macro's name and each of its values. */
static int macro_columns(const SweepMacro *macro)
{
    int columns = VALUE_COLUMNS, width = terminal_columns(macro->name) + 2;
    for (size_t i = 0; i < macro->count; i++) {
        columns = width > columns ? width : columns;
        width = terminal_columns(macro->values[i]) + 2;
    }
    return width > columns ? width : columns;
}

static void add_point(const Sweeping *sweeping, size_t combination, TerminalStyle style, Text *out)
{
    const SweepPoint *point = &sweeping->points[combination];
    text_add(out, point == sweeping->best ? "> " : "  ");
    for (size_t i = 0; i < sweeping->sweep.macro_count; i++)
        terminal_pad(out, sweep_value(&sweeping->sweep, combination, i), -macro_columns(&sweeping->sweep.macros[i]));
    if (point->time.ms > 0) {
        terminal_pad(out, quantity_time(point->time.ms).text, -TIME_COLUMNS);
        text_printf(out, " %s%*s", style.utf8 ? "±" : "+-", UNCERTAINTY_COLUMNS - (style.utf8 ? 2 : 3),
                    quantity_percent(point->time.uncertainty, 1).text);
        terminal_pad(out, quantity_rate(point->gflops).text, -RATE_COLUMNS);
        text_add(out, "\n");
    } else {
        text_printf(out, "  %s\n",
                    point->verdict == VERDICT_ACCEPTED ? "no timed cases" : verdict_name(point->verdict));
    }
}

/* Counts the other combinations that are not significantly slower than the best. */
static size_t count_as_good(const Sweeping *sweeping)
{
    size_t count = 0;
    for (size_t i = 0; i < sweeping->sweep.combinations; i++) {
        const SweepPoint *point = &sweeping->points[i];
        count += point != sweeping->best && point->time.ms > 0 && !time_is_faster(sweeping->best->time, point->time);
    }
    return count;
}

static void add_best(const Sweeping *sweeping, Text *out)
{
    if (sweeping->best == NULL) {
        text_add(out, "No combination is accepted.\n");
        return;
    }
    text_add(out, "Best: ");
    sweep_add_name(&sweeping->sweep, (size_t)(sweeping->best - sweeping->points), out);
    text_add(out, ", ");
    text_add(out, quantity_time(sweeping->best->time.ms).text);
    size_t as_good = count_as_good(sweeping);
    if (as_good > 0)
        text_printf(out, " (%zu other%s not significantly slower)", as_good, as_good == 1 ? " is" : "s are");
    text_add(out, "\n");
}

static void add_table(const Sweeping *sweeping, TerminalStyle style, Text *out)
{
    text_printf(out, "%s, problem %s on %s%s\n  ", sweeping->submission.file_name, sweeping->problem.id,
                sweeping->device.name, sweeping->device.modelled ? ", times are modelled" : "");
    for (size_t i = 0; i < sweeping->sweep.macro_count; i++)
        terminal_pad(out, sweeping->sweep.macros[i].name, -macro_columns(&sweeping->sweep.macros[i]));
    text_printf(out, "%*s%*s\n", TIME_COLUMNS, "time", UNCERTAINTY_COLUMNS + RATE_COLUMNS, "GFLOP/s");
    for (size_t i = 0; i < sweeping->sweep.combinations; i++)
        add_point(sweeping, i, style, out);
    add_best(sweeping, out);
}

/* ---- the plot ---------------------------------------------------------------------------------------------------- */

static Status draw_plot(const Sweeping *sweeping, Text *out, Message *why)
{
    Plot plot = {0};
    char path[300];
    text_printf(&plot.title, "%s, %s on %s", sweeping->submission.file_name, sweeping->problem.id,
                sweeping->device.name);
    plot.unit = sweeping->device.modelled ? "modelled time (ms)" : "time (ms)";
    for (size_t i = 0; i < sweeping->sweep.combinations; i++) {
        Text name = {0};
        sweep_add_name(&sweeping->sweep, i, &name);
        plot_add(&plot, name.data, sweeping->points[i].time.ms);
        text_free(&name);
    }
    snprintf(path, sizeof path, "%.200s.sweep.svg", sweeping->submission.file_name);
    Status status = plot_write(&plot, path, why);
    if (status == STATUS_OK)
        text_printf(out, "Plot: %s\n", path);
    else if (status == STATUS_NOT_FOUND)
        text_printf(out, "No plot: %s\n", why->text);
    plot_free(&plot);
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static Status print_report(const Sweeping *sweeping, Message *why)
{
    Text out = {0};
    add_table(sweeping, terminal_style(stdout), &out);
    Status status = sweeping->best == NULL ? STATUS_OK : draw_plot(sweeping, &out, why);
    if (fwrite(out.data, 1, out.length, stdout) != out.length || fflush(stdout) != 0)
        status = fail_errno(why, "standard output: cannot be written");
    text_free(&out);
    return status;
}

Status command_sweep(const Options *options, int *exit_status, Message *why)
{
    Sweeping sweeping = {.options = options};
    Status status = read_request(&sweeping, why);
    if (status == STATUS_OK)
        status = time_all(&sweeping, why);
    if (status == STATUS_OK)
        status = print_report(&sweeping, why);
    if (status == STATUS_OK)
        *exit_status = sweeping.best != NULL ? 0 : 1;
    if (sweeping.problem_is_read)
        problem_free(&sweeping.problem);
    sweep_free(&sweeping.sweep);
    submission_free(&sweeping.submission);
    arena_free(&sweeping.arena);
    return status;
}
