#include "grader/timing/call_plan.h"

enum { ANCHOR_CALLS = 30 }; /* of each case: enough to see a drift of a fraction of a percent */

CallPlan call_plan_of(const Problem *problem)
{
    return (CallPlan){
        .blocks = problem->blocks, .warm_up_calls = problem->warm_up_calls, .timed_calls = problem->timed_calls};
}

CallPlan call_plan_of_anchor(const CallPlan *plan)
{
    return (CallPlan){
        .blocks = 1, .warm_up_calls = plan->warm_up_calls, .timed_calls = ANCHOR_CALLS, .order = plan->order};
}

int call_plan_count(const CallPlan *plan, size_t case_count)
{
    return plan->blocks * (plan->warm_up_calls + plan->timed_calls) * (int)case_count;
}

size_t call_plan_case(const CallPlan *plan, size_t place)
{
    return plan->order == NULL ? place : plan->order[place];
}
