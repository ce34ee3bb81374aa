#include "grader/timing/second_plan.h"

#include <stdbool.h>

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
