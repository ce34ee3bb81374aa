/* second_plan.h - the plan of a second sitting, in which a result that is much faster than anything known is timed again.
 *
 * A submission that recognises timed calls by their number or by the order of the cases, and is fast only in these, is
 * found out when both are different. They are drawn from a key that it cannot know.  */
#ifndef GRADER_TIMING_SECOND_PLAN_H
#define GRADER_TIMING_SECOND_PLAN_H

#include "base/arena.h"
#include "grader/problem/generator.h"
#include "grader/timing/call_plan.h"

#include <stddef.h>

/* Changes the numbers of calls of a plan, and the order of the cases unless there is only one. The sitting takes
 * hardly longer than the first, mostly less. The order lies in `arena`. */
CallPlan second_plan_of(const CallPlan *first, const GeneratorKey *secret, size_t case_count, Arena *arena);

#endif
