/* measure.h - the timed cases on a GPU with a clock: blocks of calls, each block in a fresh runner, each call with data
 * that have never existed before, every output checked in full.
 *
 *     wait until nothing disturbs the device; a fresh runner and broker; the judge's own load, so that the clock is up
 *     for each case and call:  the oracle on the device makes the inputs   (a process and a context of its own)
 *                              solve() runs between two events and two looks at the host's clock
 *                              the oracle on the device compares the output, and makes the next call's inputs
 *
 * Counts are the problem's, and never depend on the submission. A block that was disturbed is taken again.
 *
 * Source  the method of docs/measurements.md and docs/security.md.  */
#ifndef GRADER_TIMING_MEASURE_H
#define GRADER_TIMING_MEASURE_H

#include "base/status.h"
#include "grader/check/call.h"
#include "grader/device_oracle/device_oracle.h"
#include "grader/oracle/oracle.h"
#include "grader/terminal/progress.h"
#include "grader/timing/timing.h"
#include "harness/device/monitor/device_monitor.h"
#include "harness/session/session.h"

#include <stdbool.h>

typedef struct TimedCase { /* of one case, over all blocks */
    const Testcase *testcase;
    CaseSample *samples;
    size_t sample_count, sample_room;
    CallReport report; /* of the last call, without its text; of the one that failed with it */
    bool compared;
    Comparison comparison; /* of the call with the largest error; of the one that failed */
    bool failed;           /* a call ended badly, or its output was wrong */
    int64_t input_bytes;
} TimedCase;

typedef struct Measuring {
    const Problem *problem;
    Session *session;
    const CallLimits *limits;
    DeviceOracle *device_oracle;
    const Oracle *oracle;   /* explains what the one on the device refuses */
    DeviceMonitor *monitor; /* NULL: the state of the device is unknown */
    double usual_clock_mhz; /* under load; 0: the most that the device can */
    Progress *progress;
    uint64_t secret;
    uint64_t calls;         /* number of calls so far, which gives each call a seed of its own */
    double check_s, wait_s; /* time spent so far on checking outputs, and on waiting for a quiet device */
} Measuring;

/* One block of calls of `compiled`, over all cases: `warm_up` calls that are not kept and `timed` that are, of each.
 * After a call that failed no more are made, and a load that failed is the first case's failure. */
MUST_USE Status measure_block(Measuring *measuring, const Compiled *compiled, int block, int warm_up, int timed,
                              TimedCase *cases, size_t case_count, BlockConditions *conditions, Message *why);

/* Has one of them failed? */
const TimedCase *measure_failed(const TimedCase *cases, size_t case_count);

/* Geometric mean of the cases' times, in milliseconds; 0 where one has none. */
double measure_score_ms(const TimedCase *cases, size_t case_count, double clock_gap_s);

#endif
