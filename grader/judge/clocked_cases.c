#include "grader/judge/clocked_cases.h"

#include "base/clock.h"
#include "grader/judge/case_run.h"
#include "grader/judge/compilation.h"
#include "grader/timing/sitting.h"

#include <math.h>
#include <stdio.h>

static size_t loads_of_hidden_cases(const Grading *judging)
{
    return judging_count(judging, CASE_HIDDEN) > 0;
}

Status clocked_cases_start_early(Grading *judging, Message *why)
{
    if (judging->device_oracle != NULL || judging_count(judging, CASE_TIMED) == 0)
        return STATUS_OK;
    session_open_ahead(judging->session, loads_of_hidden_cases(judging));
    const DeviceInfo *device = &judging->result->device;
    return device_oracle_start(judging->job->problem, device->handle,
                               10 * device->compute_major + device->compute_minor, &judging->device_oracle, why);
}

/* The blocks of the submission and both of the anchor. */
static size_t loads_of_sitting(const Grading *judging, bool has_anchor)
{
    return (size_t)judging->plan.blocks + (has_anchor ? 2 : 0);
}

void clocked_cases_open_ahead(const Grading *judging)
{
    if (judging_count(judging, CASE_TIMED) > 0)
        session_open_ahead(judging->session,
                           loads_of_hidden_cases(judging) + loads_of_sitting(judging, judging->job->anchor != NULL));
}

Status clocked_cases_prepare(Grading *judging, Message *why)
{
    const DeviceInfo *device = &judging->result->device;
    const JudgeJob *job = judging->job;
    Message trouble;
    if (judging_count(judging, CASE_TIMED) == 0)
        return STATUS_OK;
    if (device_monitor_open(device->uuid, &judging->monitor, &trouble) != STATUS_OK) {
        judging->monitor = NULL;
        result_warn(judging->result, "the clock and the temperature of the GPU are unknown: %s", trouble.text);
    }
    const Submission *anchor = job->anchor == NULL ? NULL : job->anchor(job->context, device);
    if (anchor != NULL && compilation_for_device(judging, anchor, device, &judging->anchor, &trouble) == STATUS_OK &&
        judging->anchor.outcome == COMPILE_OK)
        judging->anchor_name = anchor->file_name;
    return clocked_cases_start_early(judging, why);
}

/* ---- the verdicts ------------------------------------------------------------------------------------------------ */

/* Two clocks that disagree grossly, or an output that was not there when both had stopped: a clock was forged. Where solve()
 * itself returned late, nobody knows, so nobody is accused, and the times do not count. */
static void compare_clocks(Grading *judging, CaseResult *item, double usual_taken_s)
{
    Result *result = judging->result;
    Text text = {0};
    bool is_forged = timing_clocks_disagree(item->samples, item->sample_count, result->device.clock_gap_s, &text);
    OutputTaken taken = is_forged || !(usual_taken_s > 0)
                            ? TAKEN_IN_TIME
                            : timing_taken_late(item->samples, item->sample_count, usual_taken_s, &text);
    if (is_forged || taken == TAKEN_LATE) {
        item->verdict = VERDICT_INTEGRITY_VIOLATION;
        item->text = arena_string(&result->arena, text.data);
    } else if (taken == TAKEN_AFTER_RETURN && result->unsteady[0] == '\0') {
        snprintf(result->unsteady, sizeof result->unsteady, "%s", text.data);
    }
    text_free(&text);
}

static void explain_fewer_calls(Grading *judging, CaseResult *item, const TimedCase *timed)
{
    if (timed->fewest_calls == 0)
        return;
    item->fewer_calls = arena_printf(&judging->result->arena,
                                     "%d instead of %d timed calls in a block, since more would take too much of the "
                                     "grading's budget of %g s (grading_device_seconds)",
                                     timed->fewest_calls, call_plan_enough(&judging->plan, INFINITY),
                                     judging->budget.seconds);
    result_warn(judging->result, "%s: %s", item->name, item->fewer_calls);
}

static void conclude_case(Grading *judging, CaseResult *item, const TimedCase *timed)
{
    const CaseOutput output = {.compared = timed->compared, .comparison = timed->comparison};
    item->input_bytes = timed->input_bytes;
    if (!timed->compared && !timed->failed) /* an earlier failure ended the run */
        return;
    const Judgement decided = case_judgement(judging, &output, &timed->report);
    case_conclude(judging, item, &timed->report, &output, &decided);
    if (item->verdict != VERDICT_ACCEPTED)
        return;
    item->samples = timed->samples;
    item->sample_count = timed->sample_count;
    item->warm_up = timed->warm_up;
    item->warm_up_count = timed->warm_up_count;
    case_warn_of_charge(judging, item);
    explain_fewer_calls(judging, item, timed);
    compare_clocks(judging, item, timed->usual_taken_s);
    if (item->verdict == VERDICT_ACCEPTED)
        result_time_case(item, &judging->result->device);
}

/* ---- the sitting ------------------------------------------------------------------------------------------------- */

static void copy_sitting(Result *result, const Sitting *sitting, const Measuring *measuring)
{
    launches_settle(&measuring->launches, &result->device);
    result->anchor = sitting->anchor;
    result->blocks = sitting->blocks;
    result->block_count = sitting->block_count;
    result->seconds.check += measuring->check_s;
    result->seconds.wait += measuring->wait_s;
    if (sitting->anchor_failure[0] != '\0')
        result_warn(result, "%s", sitting->anchor_failure);
}

static Status take_sitting(Grading *judging, TimedCase *cases, size_t count, Message *why)
{
    Result *result = judging->result;
    Sitting sitting = {0};
    const Anchor anchor = {.name = judging->anchor_name, .compiled = &judging->anchor};
    Measuring measuring = {
        .problem = judging->job->problem,
        .session = judging->session,
        .limits = &judging->limits,
        .budget = &judging->budget,
        .device_oracle = judging->device_oracle,
        .oracle = judging->oracle,
        .monitor = judging->monitor,
        .usual_clock_mhz = result->device.usual_clock_mhz,
        .progress = judging->job->progress,
    };
    launches_add(&measuring.launches, &result->device);
    session_open_ahead(judging->session, loads_of_sitting(judging, anchor.name != NULL)); /* those not open yet */
    Status status = device_oracle_ready(judging->device_oracle, why);
    if (status == STATUS_OK)
        status = sitting_take(&measuring, &result->compiled, &anchor, &judging->plan, cases, count, &result->arena,
                              &sitting, why);
    copy_sitting(result, &sitting, &measuring);
    return status;
}

/* The cases to be timed; `items` are the places of their results. */
static TimedCase *list_cases(Grading *judging, CaseResult ***items, size_t *count)
{
    Result *result = judging->result;
    TimedCase *cases = arena_array(&result->arena, result->case_count, sizeof *cases);
    *items = arena_array(&result->arena, result->case_count, sizeof **items);
    *count = 0;
    for (size_t i = 0; i < result->case_count; i++)
        if (result->cases[i].group == CASE_TIMED) {
            (*items)[*count] = &result->cases[i];
            cases[(*count)++].testcase = judging->testcases[i];
        }
    return cases;
}

Status clocked_cases_run(Grading *judging, Message *why)
{
    Result *result = judging->result;
    double start_s = now_s();
    size_t count;
    CaseResult **items;
    TimedCase *cases = list_cases(judging, &items, &count);
    if (judging->ended || count == 0)
        return STATUS_OK;
    Status status = take_sitting(judging, cases, count, why);
    for (size_t i = 0; i < count; i++) {
        if (status == STATUS_OK)
            conclude_case(judging, items[i], &cases[i]);
        text_free(&cases[i].report.printed);
    }
    if (status == STATUS_OK)
        judging_end_step(judging, CASE_TIMED);
    else
        progress_end(judging->job->progress, "failed");
    result_find_unsteady(result);
    result->seconds.open = session_open_seconds(judging->session);
    result->seconds.timed = now_s() - start_s;
    return status;
}
