#include "grader/timing/sitting.h"

#include <math.h>
#include <stdio.h>

static int count_calls(const CallPlan *plan, bool anchored, size_t case_count)
{
    const CallPlan of_anchor = call_plan_of_anchor(plan);
    return call_plan_count(plan, case_count) + (anchored ? 2 * call_plan_count(&of_anchor, case_count) : 0);
}

/* The same cases, for another program. */
static TimedCase *same_cases(const TimedCase *cases, size_t case_count, const CallPlan *plan, Arena *arena)
{
    TimedCase *same = arena_array(arena, case_count, sizeof *same);
    for (size_t i = 0; i < case_count; i++)
        same[i] = (TimedCase){.testcase = cases[i].testcase};
    measure_make_room(same, case_count, plan, arena);
    return same;
}

/* An anchor that fails is no fault of the submission; the sitting then goes on without one. */
static Status time_anchor(Measuring *measuring, const Anchor *anchor, const CallPlan *plan, TimedCase *cases,
                          size_t case_count, Sitting *sitting, double *score_ms, Message *why)
{
    const CallPlan of_anchor = call_plan_of_anchor(plan);
    Arena arena = {0};
    DeviceInfo info;
    BlockConditions conditions;
    CallBudget *budget = measuring->budget;
    measuring->budget = NULL;
    TimedCase *calls = same_cases(cases, case_count, &of_anchor, &arena);
    Status status = measure_block(measuring, anchor->compiled, &of_anchor, 0, calls, case_count, &conditions, why);
    if (status == STATUS_OK)
        status = session_device(measuring->session, &info, why);
    measuring->budget = budget;
    const TimedCase *failed = measure_failed(calls, case_count);
    *score_ms = status == STATUS_OK && failed == NULL ? measure_score_ms(calls, case_count, info.clock_gap_s) : 0;
    if (failed != NULL)
        snprintf(sitting->anchor_failure, sizeof sitting->anchor_failure, "the anchor %s failed: %s", anchor->name,
                 failed->report.text);
    for (size_t i = 0; i < case_count; i++) {
        cases[i].usual_taken_s = fmax(cases[i].usual_taken_s, timing_taken_s(calls[i].samples, calls[i].sample_count));
        text_free(&calls[i].report.printed);
    }
    arena_free(&arena);
    return status;
}

static Status time_blocks(Measuring *measuring, const Compiled *compiled, const CallPlan *plan, TimedCase *cases,
                          size_t case_count, Arena *arena, Sitting *sitting, Message *why)
{
    Status status = STATUS_OK;
    sitting->blocks = arena_array(arena, (size_t)plan->blocks, sizeof *sitting->blocks);
    for (int block = 0; block < plan->blocks && status == STATUS_OK && measure_failed(cases, case_count) == NULL;
         block++)
        status = measure_block(measuring, compiled, plan, block, cases, case_count,
                               &sitting->blocks[sitting->block_count++], why);
    return status;
}

Status sitting_take(Measuring *measuring, const Compiled *compiled, const Anchor *anchor, const CallPlan *plan,
                    TimedCase *cases, size_t case_count, Arena *arena, Sitting *sitting, Message *why)
{
    AnchorTimes *times = &sitting->anchor;
    Status status = STATUS_OK;
    *sitting = (Sitting){0};
    measure_make_room(cases, case_count, plan, arena);
    progress_begin(measuring->progress, "timed cases", count_calls(plan, anchor->name != NULL, case_count));
    if (anchor->name != NULL)
        status = time_anchor(measuring, anchor, plan, cases, case_count, sitting, &times->before_ms, why);
    if (status == STATUS_OK)
        status = time_blocks(measuring, compiled, plan, cases, case_count, arena, sitting, why);
    if (status != STATUS_OK || measure_failed(cases, case_count) != NULL || !(times->before_ms > 0))
        return status;
    status = time_anchor(measuring, anchor, plan, cases, case_count, sitting, &times->after_ms, why);
    if (times->after_ms > 0) {
        snprintf(times->name, sizeof times->name, "%s", anchor->name);
        times->drift = timing_drift(times->before_ms, times->after_ms);
    }
    return status;
}
