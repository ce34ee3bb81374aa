#include "grader/judge/call_plan.h"

#include "base/text.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ==== launches ==================================================================================================== */

static const double MOST_RISE_S = 0.15e-6; /* beyond the first opening */

/* Half of the 95 % interval of a median, in standard errors of the mean: 1.96 times the root of pi / 2, for numbers that are
 * distributed normally. */
static const double HALF_INTERVAL = 2.46;

void launches_add(Launches *launches, const DeviceInfo *opened)
{
    if (opened->launch_s > 0 && launches->count < LAUNCHES_MOST)
        launches->seconds[launches->count++] = opened->launch_s;
}

static double standard_error(const double *numbers, size_t count)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        sum += numbers[i];
    for (size_t i = 0; i < count; i++)
        squares += (numbers[i] - sum / (double)count) * (numbers[i] - sum / (double)count);
    return sqrt(squares / (double)(count - 1) / (double)count);
}

void launches_settle(const Launches *launches, DeviceInfo *device)
{
    const size_t count = launches->count;
    double sorted[LAUNCHES_MOST];
    if (count < 2)
        return;
    memcpy(sorted, launches->seconds, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, order_numbers);
    const double median_s = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
    device->launch_s = fmin(median_s, launches->seconds[0] + MOST_RISE_S);
    device->launch_spread_s = HALF_INTERVAL * standard_error(sorted, count);
}

/* ==== second plan ================================================================================================= */

enum { MORE_WARM_UP_CALLS = 4, FEWEST_TIMED_CALLS = 15 };

static const double LEAST_SHARE = 0.6, MOST_SHARE = 0.9; /* of the timed calls of the first sitting */

/* Keys of test data and of the sanitizer's blocks have other purposes (testcase_key(), sample_key()). */
static const uint32_t PURPOSE = UINT32_MAX - 1;

typedef struct Draw {
    const GeneratorKey *secret;
    uint32_t drawn;
} Draw;

/* A number in [low, high]. */
static int draw_number(Draw *draw, int low, int high)
{
    const GeneratorKey key = generator_derive(draw->secret, PURPOSE, draw->drawn++, 0);
    return (int)generator_integer(key.words[0], low, high);
}

static bool is_sorted(const size_t *order, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (order[i] != i)
            return false;
    return true;
}

/* Shuffles: Durstenfeld's Algorithm 235, "Random permutation". The order of the first sitting is drawn again. */
static const size_t *draw_order(Draw *draw, size_t count, Arena *arena)
{
    size_t *order = arena_array(arena, count, sizeof *order);
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    while (count > 1 && is_sorted(order, count))
        for (size_t i = count - 1; i > 0; i--) {
            size_t other = (size_t)draw_number(draw, 0, (int)i), kept = order[i];
            order[i] = order[other];
            order[other] = kept;
        }
    return order;
}

static int draw_timed_calls(Draw *draw, int first)
{
    if (first <= FEWEST_TIMED_CALLS)
        return first;
    int low = (int)(LEAST_SHARE * first), high = (int)(MOST_SHARE * first);
    low = low < FEWEST_TIMED_CALLS ? FEWEST_TIMED_CALLS : low;
    return draw_number(draw, low, high < low ? low : high);
}

CallPlan second_plan_of(const CallPlan *first, const GeneratorKey *secret, size_t case_count, Arena *arena)
{
    Draw draw = {.secret = secret};
    CallPlan plan = *first;
    plan.timed_calls = draw_timed_calls(&draw, first->timed_calls);
    plan.enough_calls = draw_timed_calls(&draw, first->enough_calls);
    plan.warm_up_calls += draw_number(&draw, 1, MORE_WARM_UP_CALLS);
    plan.order = draw_order(&draw, case_count, arena);
    return plan;
}

/* ==== call plan =================================================================================================== */

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
