#include "grader/timing/call_plan.h"

#include <math.h>

enum {
    ANCHOR_CALLS = 30, /* of each case: enough to see a drift of a fraction of a percent */
    LEAST_CALLS = 15,
    ENOUGH_CALLS = 40
};
static const double SHORT_BLOCK_S = 1e-3; /* a block of shorter calls has as many as the plan allows */

CallPlan call_plan_of(const Problem *problem)
{
    return (CallPlan){.blocks = problem->blocks,
                      .warm_up_calls = problem->warm_up_calls,
                      .timed_calls = problem->timed_calls,
                      .enough_calls = ENOUGH_CALLS,
                      .anchor_calls = ANCHOR_CALLS};
}

CallPlan call_plan_of_anchor(const CallPlan *plan)
{
    return (CallPlan){
        .blocks = 1, .warm_up_calls = plan->warm_up_calls, .timed_calls = plan->anchor_calls, .order = plan->order};
}

int call_plan_least(const CallPlan *plan)
{
    return plan->timed_calls < LEAST_CALLS ? plan->timed_calls : LEAST_CALLS;
}

int call_plan_timed(const CallPlan *plan, size_t case_count, double budget_s, double call_s)
{
    const double part_s = budget_s / 2 / ((double)plan->blocks * (double)case_count);
    const double fit = part_s / call_s - plan->warm_up_calls;
    const int least = call_plan_least(plan);
    if (fit >= plan->timed_calls || !(call_s > 0))
        return plan->timed_calls;
    return fit > least ? (int)fit : least;
}

int call_plan_enough(const CallPlan *plan, double call_s)
{
    if (plan->enough_calls == 0 || plan->timed_calls * call_s <= SHORT_BLOCK_S)
        return plan->timed_calls;
    const int short_block = (int)ceil(SHORT_BLOCK_S / call_s);
    const int calls = short_block > plan->enough_calls ? short_block : plan->enough_calls;
    return calls < plan->timed_calls ? calls : plan->timed_calls;
}

int call_plan_count(const CallPlan *plan, size_t case_count)
{
    return plan->blocks * (plan->warm_up_calls + plan->timed_calls) * (int)case_count;
}

size_t call_plan_case(const CallPlan *plan, size_t place)
{
    return plan->order == NULL ? place : plan->order[place];
}
