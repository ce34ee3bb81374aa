/* measure.h - times cases on a GPU with a clock, in blocks of calls: each block in a new runner, each call with data
 * that never existed before, every output checked in full.
 *
 *     wait until nothing disturbs the device; start a new runner and broker; let the judge's own load raise the clock
 *     for each case and call:  the oracle on the device makes the inputs, in a process and a context of its own
 *                              solve() runs between two events and two readings of the host's clock
 *                              the oracle on the device checks the output, and makes the inputs of the next call
 *
 * The plan sets the numbers of calls. Long calls are fewer, since fewer are as sharp; and a slow submission gets fewer, so that the
 * grading stays within its budget. How many is decided after the warm-up calls of a case, from the fastest of them, and never later. A disturbed block is repeated. What any call of a
 * block does beyond measure (timing_excess()) is charged to all timed calls of the block in equal shares.
 *
 * Source  docs/explanation/timing-and-ranks.md describes the method, lab/measurements.md has the figures behind it.  */
#ifndef GRADER_JUDGE_MEASURE_H
#define GRADER_JUDGE_MEASURE_H

#include "base/status.h"
#include "base/terminal.h"
#include "grader/check/call.h"
#include "grader/check/device_oracle.h"
#include "grader/check/oracle.h"
#include "grader/judge/call_plan.h"
#include "grader/judge/timing.h"
#include "harness/broker/session.h"
#include "harness/device/device_monitor.h"

#include <stdbool.h>

/* ==== measure ===================================================================================================== */

typedef struct TimedCase { /* one case, over all blocks */
    const Testcase *testcase;
    CaseSample *samples; /* the timed calls */
    size_t sample_count, sample_room;
    CaseSample *warm_up; /* the calls before them; and the constructors, where these kept the device busy */
    size_t warm_up_count, warm_up_room;
    CallReport report; /* of the call that failed, else of the last one */
    bool compared;
    Comparison comparison; /* of the call that failed, else of the one with the largest error */
    bool failed;           /* a call ended badly, or its output was wrong */
    int fewest_calls;      /* timed calls in the block that had fewest, because of the budget; 0: all had enough */
    int64_t input_bytes;
    double taken_s;       /* of the last call: as CaseSample.taken_s */
    double usual_taken_s; /* its median in calls of the anchor; 0: there is no anchor */
} TimedCase;

typedef struct Measuring {
    const Problem *problem;
    Session *session;
    const CallLimits *limits;
    CallBudget *budget; /* of the grading; NULL: none, for calls of the judge's own */
    DeviceOracle *device_oracle;
    const Oracle *oracle;   /* explains outputs that the one on the device refuses */
    DeviceMonitor *monitor; /* NULL: the state of the device is unknown */
    double usual_clock_mhz; /* under load; 0: the highest one of the device */
    Progress *progress;
    Launches launches;      /* of all openings of the device so far */
    double worked_s;        /* when the device last worked for the oracle, by now_s() */
    double check_s, wait_s; /* time spent so far on checking outputs, and on waiting for a quiet device */
} Measuring;

/* The first case that has failed; NULL: none. */
const TimedCase *measure_failed(const TimedCase *cases, size_t case_count);

/* Geometric mean of the cases' times, in milliseconds; 0: a case has no time. */
double measure_score_ms(const TimedCase *cases, size_t case_count, double clock_gap_s);

/* ==== sitting ===================================================================================================== */

/* Times one submission on a real GPU in one sitting: the anchor, the blocks of the submission, the anchor
 * again.
 *
 * The anchor is a reference solution whose time is known. Its times before and after the submission show how far
 * the device drifted. The drift becomes part of the uncertainty; a large one makes the times worthless. */

typedef struct Anchor { /* name NULL: there is no anchor, and the drift is unknown */
    const char *name;
    const Compiled *compiled;
} Anchor;

typedef struct TimingSession {
    AnchorTimes anchor;
    BlockConditions *blocks; /* [block_count], in the arena of the caller */
    size_t block_count;
    char anchor_failure[800]; /* the anchor failed: one sentence; "": it did not */
} TimingSession;

/* Times all cases by the plan and fills in their samples. Stops after a call that failed. Samples and blocks lie in
 * `arena`. */
MUST_USE Status sitting_take(Measuring *measuring, const Compiled *compiled, const Anchor *anchor, const CallPlan *plan,
                             TimedCase *cases, size_t case_count, Arena *arena, TimingSession *sitting, Message *why);

#endif
