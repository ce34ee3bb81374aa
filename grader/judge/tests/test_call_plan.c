#include "base/tests/unit.h"

#include "grader/judge/call_plan.h"

static void slow_calls_are_fewer_but_at_least_fifteen(void **state)
{
    static const struct {
        int blocks, warm_up_calls, timed_calls;
        double call_s;
        int expected;
    } rows[] = {
        {3, 3, 100, 50e-6, 100}, {3, 3, 100, 0, 100},  {3, 3, 100, 0.03, 100}, /* 103 calls take 3.1 s of 3.3 */
        {3, 3, 100, 0.05, 63},   {3, 3, 100, 0.2, 15}, {3, 3, 100, 100, 15},
        {3, 0, 100, 0.05, 66},   {1, 2, 10, 1, 10},    {1, 2, 10, 100, 10}, /* the plan itself has fewer than 15 */
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const CallPlan plan = {
            .blocks = rows[i].blocks, .warm_up_calls = rows[i].warm_up_calls, .timed_calls = rows[i].timed_calls};
        int calls = call_plan_timed(&plan, 3, 60, rows[i].call_s);
        if (calls != rows[i].expected)
            fail_test("row %zu: %d calls, expected %d", i, calls, rows[i].expected);
    }
}

static void long_calls_are_as_many_as_their_time_needs(void **state)
{
    static const struct {
        int timed_calls, enough_calls;
        double call_s;
        int expected;
    } rows[] = {
        {100, 40, 0, 100},  {100, 40, 10e-6, 100}, {100, 40, 16e-6, 63}, {100, 40, 25e-6, 40}, {100, 40, 2e-3, 40},
        {30, 40, 2e-3, 30}, {80, 27, 30e-6, 34},   {80, 27, 1e-3, 27},   {30, 0, 2e-3, 30}, /* of the anchor */
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const CallPlan plan = {.timed_calls = rows[i].timed_calls, .enough_calls = rows[i].enough_calls};
        int calls = call_plan_enough(&plan, rows[i].call_s);
        if (calls != rows[i].expected)
            fail_test("row %zu: %d calls, expected %d", i, calls, rows[i].expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_calls_are_fewer_but_at_least_fifteen),
        cmocka_unit_test(long_calls_are_as_many_as_their_time_needs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
