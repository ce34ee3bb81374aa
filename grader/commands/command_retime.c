/* Times the best submissions of a problem side by side, and prints both orders. */
#include "grader/commands/command.h"

#include "grader/judge/judge.h"
#include "grader/problem/problem_read.h"
#include "grader/ranking/retime.h"
#include "grader/report/report_retime.h"
#include "grader/terminal/json_target.h"
#include "leaderboard/store.h"

#include <stdio.h>
#include <stdlib.h>

enum { TOP = 5, MOST_TOP = 100 }; /* default and largest number of people */

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

Status command_retime(const Options *options, int *exit_status, Message *why)
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
