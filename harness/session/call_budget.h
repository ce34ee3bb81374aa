/* call_budget.h - what all calls of solve() in one grading may take together, so that no submission holds the device for
 * long by staying just below the limits of a call (CallLimits).
 *
 * On a real GPU, the seconds of a call run from its start until its work has ended, whoever waits for whom. On a simulated
 * GPU, kernels count by their warp-instructions, the submission's process by what it computes and for how long it does nothing
 * (host_clock.h), and copies by the processor time that the judge takes for them.  */
#ifndef HARNESS_SESSION_CALL_BUDGET_H
#define HARNESS_SESSION_CALL_BUDGET_H

#include "harness/control/solve_call.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct CallBudget {
    double seconds, spent_s;                        /* given, and used so far */
    uint64_t warp_instructions, spent_instructions; /* likewise; 0 given: unlimited */
} CallBudget;

double call_budget_seconds_left(const CallBudget *budget);
/* 0: unlimited. */
uint64_t call_budget_instructions_left(const CallBudget *budget);
bool call_budget_is_used_up(const CallBudget *budget);

/* Counts what a call or a load has used. If the budget is used up, and the call has no output for that reason, the
 * report says so. */
void call_budget_spend(CallBudget *budget, CallReport *report);
/* The report of a call that is not made, because nothing is left. */
void call_budget_refuse(const CallBudget *budget, CallReport *report);

#endif
