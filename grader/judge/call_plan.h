/* call_plan.h - how often solve() is called in a sitting, and in which order the cases come.
 *
 * A block is one runner. For each case in turn it makes the warm-up calls and then the timed calls, which are the
 * samples. A submission does not learn which call is which.  */
#ifndef GRADER_JUDGE_CALL_PLAN_H
#define GRADER_JUDGE_CALL_PLAN_H

#include "base/arena.h"
#include "grader/problem/generator.h"
#include "grader/problem/problem.h"
#include "harness/broker/session.h"

#include <stddef.h>

/* ==== launches ==================================================================================================== */

/* The time of an empty launch on this host, from all openings of its device in one grading.
 *
 * Each opening times many launches and takes their median. These medians move from opening to opening by more than their own
 * intervals say, and the times of calls do not follow them: 72 on one host with four NVIDIA H200 lay between 4.35 and
 * 4.70 us, with a standard deviation of 0.09 us (lab/measurements.md). So what the host adds to a call
 * (device_host_constant_s()) follows from the median of all openings, not from one of them.
 *
 * The first opening comes before any code of the submission. Later ones count for at most 0.15 us more, so that a
 * program which left behind what slows the judge's own launches would gain no more than that. */

enum { LAUNCHES_MOST = 16 };

typedef struct Launches {
    double seconds[LAUNCHES_MOST]; /* in the order of the openings */
    size_t count;
} Launches;

/* Keeps the launch_s of one opening, unless it is unknown. */
void launches_add(Launches *launches, const DeviceInfo *opened);

/* Sets launch_s and launch_spread_s of the device by what was kept; a single opening changes nothing. */
void launches_settle(const Launches *launches, DeviceInfo *device);

/* ==== call plan =================================================================================================== */

typedef struct CallPlan {
    int blocks;
    int warm_up_calls;   /* of each case in a block */
    int timed_calls;     /* of each case in a block, at most */
    int enough_calls;    /* of a case whose calls are long; 0: timed_calls, however long they are */
    int anchor_calls;    /* timed calls of each case in the anchor's one block */
    const size_t *order; /* [number of cases]: the cases of a block in the order in which they are timed; NULL: as they
                          * are listed */
} CallPlan;

/* The plan of the problem's author; the anchor's calls are the judge's. */
CallPlan call_plan_of(const Problem *problem);
/* The same for the anchor: one block. */
CallPlan call_plan_of_anchor(const CallPlan *plan);

/* The fewest timed calls of a case in a block: 15, unless the plan has fewer. */
int call_plan_least(const CallPlan *plan);
/* Timed calls that a case gets in one block if a call takes `call_s`: all of them if all cases and blocks then take at
 * most half of the budget, fewer otherwise, but at least call_plan_least(). The number does not depend on what the grading
 * has used before, since that could carry data of hidden cases out. */
int call_plan_timed(const CallPlan *plan, size_t case_count, double budget_s, double call_s);

/* Timed calls of a case in one block for a time as sharp as a score can be, if a call takes `call_s` of the device: as many as
 * take a millisecond together, but at least `enough_calls` and at most `timed_calls`.
 *
 * Source  300 calls each of 28 cases on one NVIDIA H200, 16 us to 1 ms, three blocks: the time by 40 neighbouring calls
 * of each block differs from that by all 100 by at most 0.25 % from 50 us up, and 0.5 % below (lab/measurements.md). */
int call_plan_enough(const CallPlan *plan, double call_s);

/* The most calls of solve() in a sitting with that many cases. */
int call_plan_count(const CallPlan *plan, size_t case_count);
/* Returns the case at a position of the order. */
size_t call_plan_case(const CallPlan *plan, size_t place);

/* ==== second plan ================================================================================================= */

/* The plan of a second sitting, in which a result that is much faster than anything known is timed again.
 *
 * A submission that recognises timed calls by their number or by the order of the cases, and is fast only in these, is
 * found out when both are different. They are drawn from a key that it cannot know. */

/* Changes the numbers of calls of a plan, and the order of the cases unless there is only one. The sitting takes
 * hardly longer than the first, mostly less. The order lies in `arena`. */
CallPlan second_plan_of(const CallPlan *first, const GeneratorKey *secret, size_t case_count, Arena *arena);

#endif
