#include "harness/session/call_budget.h"

#include <math.h>
#include <stdio.h>

double call_budget_seconds_left(const CallBudget *budget)
{
    return fmax(budget->seconds - budget->spent_s, 0);
}

uint64_t call_budget_instructions_left(const CallBudget *budget)
{
    if (budget->warp_instructions == 0)
        return 0;
    return budget->spent_instructions < budget->warp_instructions
               ? budget->warp_instructions - budget->spent_instructions
               : 1;
}

static bool has_no_instructions_left(const CallBudget *budget)
{
    return budget->warp_instructions > 0 && budget->spent_instructions >= budget->warp_instructions;
}

bool call_budget_is_used_up(const CallBudget *budget)
{
    return !(budget->spent_s < budget->seconds) || has_no_instructions_left(budget);
}

void call_budget_refuse(const CallBudget *budget, CallReport *report)
{
    report->outcome = CALL_TIME_LIMIT;
    report->mistake = (Mistake){.kind = MISTAKE_BUDGET};
    if (has_no_instructions_left(budget))
        snprintf(report->text, sizeof report->text,
                 "the budget of the grading is used up: the kernels of all calls of solve() together may execute %llu "
                 "warp-instructions (sim_grading_warp_instructions)",
                 (unsigned long long)budget->warp_instructions);
    else
        snprintf(report->text, sizeof report->text,
                 "the budget of the grading is used up: all calls of solve() together may take %g s "
                 "(grading_device_seconds)",
                 budget->seconds);
}

void call_budget_spend(CallBudget *budget, CallReport *report)
{
    budget->spent_s += report->spent_s;
    budget->spent_instructions += report->spent_instructions;
    if (report->outcome == CALL_TIME_LIMIT && call_budget_is_used_up(budget))
        call_budget_refuse(budget, report);
}
