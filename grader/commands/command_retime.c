/* Times the best submissions of a problem side by side, and prints both orders; or one run again. */
#include "grader/commands/command.h"

#include "grader/judge/judge.h"
#include "grader/problem/problem_read.h"
#include "grader/ranking/retime.h"
#include "grader/report/report_retime.h"
#include "grader/terminal/json_target.h"
#include "grader/terminal/quantity.h"
#include "harness/sandbox/scratch.h"
#include "leaderboard/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOP = 5, MOST_TOP = 100 }; /* default and largest number of people */

/* ---- the best of a board ----------------------------------------------------------------------------------------- */

static Status read_top(const char *text, size_t *top, Message *why)
{
    char *end;
    long number = TOP;
    if (text != NULL)
        number = strtol(text, &end, 10);
    if (text != NULL && (text[0] < '0' || text[0] > '9' || *end != '\0' || number < 1 || number > MOST_TOP))
        return fail(STATUS_BAD_INPUT, why, "retime: option '--top': expected a number from 1 to %d, found '%s'",
                    MOST_TOP, text);
    *top = (size_t)number;
    return STATUS_OK;
}

static bool all_were_accepted(const Retiming *retiming)
{
    for (size_t i = 0; i < retiming->count; i++)
        if (retiming->contenders[i].verdict != VERDICT_ACCEPTED)
            return false;
    return true;
}

static Status time_and_report(Retiming *retiming, int *exit_status, Message *why)
{
    Text text = {0};
    Progress progress = progress_new(stderr);
    judge_note_device(&progress, &retiming->device);
    Status status = retime_run(retiming, &progress, why);
    if (status == STATUS_OK) {
        report_retime(retiming, &text);
        status = json_target_write("-", &text, why);
        *exit_status = retime_contradicts(retiming) || !all_were_accepted(retiming);
    }
    text_free(&text);
    return status;
}

static Status retime(const Problem *problem, const char *device, size_t top, int *exit_status, Message *why)
{
    Store *store;
    Retiming retiming = {0};
    Status status = ranking_open(STORE_READ, &store, why);
    if (status != STATUS_OK)
        return status;
    status = retime_choose(store, problem, device, top, &retiming, why);
    store_close(store);
    if (status == STATUS_OK && retiming.count < 2)
        status = fail(STATUS_NOT_FOUND, why, "problem %s has %zu of at least two submissions to time on %s",
                      problem->id, retiming.count, retiming.board.device);
    if (status == STATUS_OK)
        status = time_and_report(&retiming, exit_status, why);
    retime_free(&retiming);
    return status;
}

static Status retime_best(const Options *options, int *exit_status, Message *why)
{
    Problem problem;
    size_t top = TOP;
    Status status = options_expect_problem(options, why);
    if (status == STATUS_OK)
        status = read_top(options->top, &top, why);
    if (status == STATUS_OK)
        status = problem_read(options->problem, &problem, why);
    if (status != STATUS_OK)
        return status;
    status = retime(&problem, options->device == NULL ? "auto" : options->device, top, exit_status, why);
    problem_free(&problem);
    return status;
}

/* ---- one run ----------------------------------------------------------------------------------------------------- */

/* Whether it has a time that another one can be compared with. */
static Status check_run(const RecordedRun *run, const Problem *problem, Message *why)
{
    if (!(run->run.time.ms > 0))
        return fail(STATUS_BAD_INPUT, why, "run %" PRId64 " has no time: %s", run->id, run->run.verdict);
    if (strcmp(run->state, "unranked") == 0)
        return fail(STATUS_BAD_INPUT, why, "run %" PRId64 " is on no board: %s", run->id, run->run.rank_status);
    if (run->run.source == NULL)
        return fail(STATUS_BAD_INPUT, why, "run %" PRId64 ": the database lacks its source", run->id);
    if (strcmp(run->run.board.revision, problem->revision.hex) != 0)
        return fail(STATUS_BAD_INPUT, why,
                    "run %" PRId64
                    " was judged under another revision of problem %s: %.12s, expected %.12s; its times do not "
                    "compare",
                    run->id, problem->id, run->run.board.revision, problem->revision.hex);
    return STATUS_OK;
}

static Status check_device(const RecordedRun *run, const Problem *problem, const char *device, Message *why)
{
    Retiming retiming = {.problem = problem};
    const Board *board = &run->run.board;
    Status status = retime_find_board(device == NULL ? "auto" : device, &retiming, why);
    if (status != STATUS_OK)
        return status;
    if (strcmp(retiming.device.id, board->device) != 0)
        return fail(STATUS_NOT_FOUND, why, "run %" PRId64 " was timed on %s, expected that device, found %s", run->id,
                    board->device, retiming.device.id);
    if (retiming.board.epoch != board->epoch)
        return fail(STATUS_BAD_INPUT, why,
                    "run %" PRId64
                    " was timed by version %d of the timing, and this judge times by version %d: the two do "
                    "not compare",
                    run->id, board->epoch, retiming.board.epoch);
    return STATUS_OK;
}

/* The database is closed while the device is busy. */
static Status read_run(const Options *options, Arena *arena, RecordedRun *run, Message *why)
{
    Store *store;
    Problem problem;
    int64_t id;
    Status status = options_run_number(options, "option '--run'", options->run, &id, why);
    if (status == STATUS_OK)
        status = ranking_open(STORE_READ, &store, why);
    if (status != STATUS_OK)
        return status;
    status = store_run(store, id, arena, run, why);
    store_close(store);
    if (status == STATUS_OK)
        status = problem_read(run->run.board.problem, &problem, why);
    if (status != STATUS_OK)
        return status;
    status = check_run(run, &problem, why);
    if (status == STATUS_OK)
        status = check_device(run, &problem, options->device, why);
    problem_free(&problem);
    return status;
}

/* Judges a copy of its source as `grade` would, for the same person. */
static Status grade_again(const Options *options, const RecordedRun *run, int *exit_status, Message *why)
{
    const char *slash = strrchr(run->run.file_name, '/'), *name = slash == NULL ? run->run.file_name : slash + 1;
    char folder[256], path[sizeof folder + 300];
    char *operands[] = {path, NULL};
    Text source = {0};
    const Options grading = {.subcommand = options->subcommand,
                             .problem = run->run.board.problem,
                             .device = options->device,
                             .person = run->run.person,
                             .no_record = !options->record,
                             .unconfined = options->unconfined,
                             .operands = operands,
                             .operand_count = 1};
    Status status = scratch_new(folder, sizeof folder, why);
    if (status != STATUS_OK)
        return status;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    text_add(&source, run->run.source);
    status = text_write_file(path, &source, why);
    text_free(&source);
    if (status == STATUS_OK)
        status = command_grade(&grading, NULL, exit_status, why);
    scratch_remove(folder);
    return status;
}

static Status retime_one(const Options *options, int *exit_status, Message *why)
{
    Arena arena = {0};
    RecordedRun run;
    Text text = {0};
    Status status = read_run(options, &arena, &run, why);
    if (status == STATUS_OK)
        status = grade_again(options, &run, exit_status, why);
    if (status == STATUS_OK) {
        text_printf(&text, "Run %" PRId64 " took %s +- %s.\n", run.id, quantity_time(run.run.time.ms).text,
                    quantity_percent(run.run.time.uncertainty, 1).text);
        status = json_target_write("-", &text, why);
    }
    text_free(&text);
    arena_free(&arena);
    return status;
}

Status command_retime(const Options *options, int *exit_status, Message *why)
{
    if (options->run == NULL && options->record)
        return fail(STATUS_BAD_INPUT, why, "retime: option '--record' is only for '--run'");
    return options->run == NULL ? retime_best(options, exit_status, why) : retime_one(options, exit_status, why);
}
