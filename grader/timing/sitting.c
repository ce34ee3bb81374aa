#include "grader/timing/sitting.h"

#include <stdio.h>

enum { ANCHOR_CALLS = 30 }; /* of each case: enough to see a drift of a fraction of a percent */

static int count_calls(const Problem *problem, bool anchored, size_t case_count)
{
    int calls = problem->blocks * (problem->warm_up_calls + problem->timed_calls);
    if (anchored)
        calls += 2 * (problem->warm_up_calls + ANCHOR_CALLS);
    return calls * (int)case_count;
}

/* The same cases, for another program. */
static TimedCase *same_cases(const TimedCase *cases, size_t case_count, size_t room, Arena *arena)
{
    TimedCase *same = arena_array(arena, case_count, sizeof *same);
    for (size_t i = 0; i < case_count; i++)
        same[i] = (TimedCase){.testcase = cases[i].testcase,
                              .samples = arena_array(arena, room, sizeof *same[i].samples),
                              .sample_room = room};
    return same;
}

/* An anchor that fails is no fault of the submission; the sitting then goes on without one. */
static Status time_anchor(Measuring *measuring, const Anchor *anchor, const TimedCase *cases, size_t case_count,
                          Sitting *sitting, double *score_ms, Message *why)
{
    Arena arena = {0};
    DeviceInfo info;
    BlockConditions conditions;
    TimedCase *calls = same_cases(cases, case_count, ANCHOR_CALLS, &arena);
    Status status = measure_block(measuring, anchor->compiled, 0, measuring->problem->warm_up_calls, ANCHOR_CALLS,
                                  calls, case_count, &conditions, why);
    if (status == STATUS_OK)
        status = session_device(measuring->session, &info, why);
    const TimedCase *failed = measure_failed(calls, case_count);
    *score_ms = status == STATUS_OK && failed == NULL ? measure_score_ms(calls, case_count, info.clock_gap_s) : 0;
    if (failed != NULL)
        snprintf(sitting->anchor_failure, sizeof sitting->anchor_failure, "the anchor %s failed: %s", anchor->name,
                 failed->report.text);
    for (size_t i = 0; i < case_count; i++)
        text_free(&calls[i].report.printed);
    arena_free(&arena);
    return status;
}

static Status time_blocks(Measuring *measuring, const Compiled *compiled, TimedCase *cases, size_t case_count,
                          Arena *arena, Sitting *sitting, Message *why)
{
    const Problem *problem = measuring->problem;
    Status status = STATUS_OK;
    sitting->blocks = arena_array(arena, (size_t)problem->blocks, sizeof *sitting->blocks);
    for (int block = 0; block < problem->blocks && status == STATUS_OK && measure_failed(cases, case_count) == NULL;
         block++)
        status = measure_block(measuring, compiled, block, problem->warm_up_calls, problem->timed_calls, cases,
                               case_count, &sitting->blocks[sitting->block_count++], why);
    return status;
}

Status sitting_take(Measuring *measuring, const Compiled *compiled, const Anchor *anchor, TimedCase *cases,
                    size_t case_count, Arena *arena, Sitting *sitting, Message *why)
{
    const Problem *problem = measuring->problem;
    AnchorTimes *times = &sitting->anchor;
    Status status = STATUS_OK;
    *sitting = (Sitting){0};
    for (size_t i = 0; i < case_count; i++) {
        cases[i].sample_room = (size_t)problem->blocks * (size_t)problem->timed_calls;
        cases[i].samples = arena_array(arena, cases[i].sample_room, sizeof *cases[i].samples);
    }
    progress_begin(measuring->progress, "timed cases", count_calls(problem, anchor->name != NULL, case_count));
    if (anchor->name != NULL)
        status = time_anchor(measuring, anchor, cases, case_count, sitting, &times->before_ms, why);
    if (status == STATUS_OK)
        status = time_blocks(measuring, compiled, cases, case_count, arena, sitting, why);
    if (status != STATUS_OK || measure_failed(cases, case_count) != NULL || !(times->before_ms > 0))
        return status;
    status = time_anchor(measuring, anchor, cases, case_count, sitting, &times->after_ms, why);
    if (times->after_ms > 0) {
        snprintf(times->name, sizeof times->name, "%s", anchor->name);
        times->drift = timing_drift(times->before_ms, times->after_ms);
    }
    return status;
}
