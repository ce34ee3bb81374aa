#include "service/config/deadlines.h"

#include "grader/problem/testcase_read.h"
#include "grader/ranking/ladder.h"
#include "harness/compile/compile_job.h"

#include <string.h>

/* Limits that the judge keeps elsewhere, and that have no header of their own. */
enum {
    OPEN_S = 60,        /* harness/session/broker_process.c */
    ORACLE_S = 120,     /* harness/compile/judge_source.c, and grader/device_oracle/device_oracle.c */
    QUIET_S = 120,      /* before each block: grader/timing/measure.c */
    COMPILER_STEPS = 2, /* the device's side and the host's side */
    SITTINGS = 2,       /* a result that is far ahead is timed again */
};

/* What no limit bounds is estimated, for a machine ten times slower than the slowest that we have measured (two cores of a
 * laptop, docs/measurements.md). */
static const double CASE_S = 3;                     /* a new runner, its inputs, the expected output, the check */
static const double CALL_S = 0.1;                   /* likewise for a call on a GPU, whose oracle works on the GPU */
static const double WARP_INSTRUCTIONS_PER_S = 25e6; /* of the simulated GPU */
static const double REFERENCE_S = 60;               /* to time one reference solution */
static const double MARGIN = 1.1, MARGIN_S = 30;    /* from each deadline to the next */

static const char *const mode_names[] = {"try", "test", "rank"};

const char *judging_mode_name(JudgingMode mode)
{
    return mode_names[mode];
}

JudgingMode judging_mode_named(const char *name)
{
    JudgingMode mode = JUDGING_TRY;
    while (mode < JUDGING_MODES && strcmp(mode_names[mode], name) != 0)
        mode++;
    return mode;
}

static size_t count_cases(const TestcaseSet *set, CaseGroup group)
{
    size_t count = 0;
    for (size_t i = 0; i < set->count; i++)
        count += set->cases[i].group == group;
    return count;
}

static double longer_than(double seconds)
{
    return MARGIN * seconds + MARGIN_S;
}

/* Compiled are the submission, the reference solution that shows whether the device is steady, and the oracle for the CPU and
 * for the GPU. */
static double preparation_s(double compile_s)
{
    return DEADLINE_DEVICE_WAIT_S + OPEN_S + 2 * compile_s + 2 * ORACLE_S;
}

/* All calls share the budget of the grading; the last one may overrun it until its own limit. A simulated GPU counts
 * instructions instead of seconds of kernels. */
static double calls_s(const ProblemLimits *limits)
{
    return limits->grading_seconds + (double)limits->grading_instructions / WARP_INSTRUCTIONS_PER_S +
           limits->wall_seconds;
}

/* All timed cases, as often as they may be timed; what the calls themselves take is in calls_s(). */
static double sittings_s(const Problem *problem, size_t timed_cases)
{
    const double calls = (double)timed_cases * (problem->warm_up_calls + problem->timed_calls);
    return SITTINGS * ((double)timed_cases * CASE_S + problem->blocks * (QUIET_S + calls * CALL_S));
}

static Status count_references(const Problem *problem, size_t *count, Message *why)
{
    Ladder ladder;
    Status status = ladder_read(problem, &ladder, why);
    if (status != STATUS_OK)
        return status;
    *count = ladder.count;
    ladder_free(&ladder);
    return STATUS_OK;
}

static double grading_s(const Problem *problem, const TestcaseSet *set, size_t references, JudgingMode mode,
                        double compile_s)
{
    double seconds = preparation_s(compile_s) + calls_s(&problem->limits);
    seconds += CASE_S * (double)count_cases(set, CASE_SAMPLE);
    if (mode != JUDGING_TRY)
        seconds += CASE_S * (double)count_cases(set, CASE_HIDDEN);
    if (mode == JUDGING_RANK)
        seconds += sittings_s(problem, count_cases(set, CASE_TIMED)) + REFERENCE_S * (double)references;
    return seconds;
}

Status deadlines_of(const Problem *problem, JudgingMode mode, double lease_s, Deadlines *deadlines, Message *why)
{
    TestcaseSet set = {0};
    size_t references = 0;
    Status status = count_references(problem, &references, why);
    if (status == STATUS_OK)
        status = testcases_read(problem, &set, why);
    if (status != STATUS_OK)
        return status;
    deadlines->compile_s = COMPILER_STEPS * COMPILE_WALL_SECONDS;
    deadlines->grading_s = grading_s(problem, &set, references, mode, deadlines->compile_s);
    deadlines->worker_s = longer_than(deadlines->grading_s);
    deadlines->head_s = longer_than(deadlines->worker_s) + lease_s;
    testcases_free(&set);
    return STATUS_OK;
}

const char *deadlines_fault(const Deadlines *deadlines, double lease_s)
{
    if (!(lease_s >= DEADLINE_LEAST_LEASE_S && lease_s > 3 * DEADLINE_BEAT_S))
        return "a lease is shorter than a few beats of a worker";
    if (!(deadlines->compile_s < deadlines->grading_s))
        return "a grading may not be as short as its compiler's limit";
    if (!(deadlines->grading_s < deadlines->worker_s))
        return "the worker kills a grading that keeps its own limits";
    if (!(deadlines->worker_s + lease_s < deadlines->head_s))
        return "the head takes a job back from a worker that keeps its own limits";
    return NULL;
}
