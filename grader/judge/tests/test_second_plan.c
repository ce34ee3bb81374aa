#include "base/tests/unit.h"

#include "grader/judge/call_plan.h"

#include <string.h>

enum { CASES = 4, KEYS = 200 };

static const CallPlan first = {.blocks = 3, .warm_up_calls = 3, .timed_calls = 100, .enough_calls = 40};

static CallPlan plan_with_key(uint32_t word, const CallPlan *of, size_t case_count, Arena *arena)
{
    const GeneratorKey key = {{word}};
    return second_plan_of(of, &key, case_count, arena);
}

static void a_second_sitting_has_other_counts_and_another_order(void **state)
{
    Arena arena = {0};
    for (uint32_t word = 0; word < KEYS; word++) {
        const CallPlan plan = plan_with_key(word, &first, CASES, &arena);
        bool seen[CASES] = {false}, moved = false;
        for (size_t place = 0; place < CASES; place++) {
            seen[call_plan_case(&plan, place)] = true;
            moved = moved || call_plan_case(&plan, place) != place;
        }
        assert_true(moved && seen[0] && seen[1] && seen[2] && seen[3]);
        assert_int_equal(plan.blocks, 3);
        assert_true(plan.warm_up_calls > 3 && plan.warm_up_calls <= 7);
        assert_true(plan.timed_calls >= 60 && plan.timed_calls <= 90);
        assert_true(plan.enough_calls >= 24 && plan.enough_calls <= 36);
    }
    arena_free(&arena);
}

static void another_key_draws_another_plan(void **state)
{
    Arena arena = {0};
    bool counts[101] = {false}, warm_ups[8] = {false}, beginnings[CASES] = {false};
    for (uint32_t word = 0; word < KEYS; word++) {
        const CallPlan plan = plan_with_key(word, &first, CASES, &arena);
        counts[plan.timed_calls] = warm_ups[plan.warm_up_calls] = beginnings[plan.order[0]] = true;
    }
    int drawn = 0;
    for (size_t i = 0; i < COUNT_OF(counts); i++)
        drawn += counts[i];
    assert_true(drawn > 20);
    assert_true(warm_ups[4] && warm_ups[5] && warm_ups[6] && warm_ups[7]);
    assert_true(beginnings[0] && beginnings[1] && beginnings[2] && beginnings[3]);
    arena_free(&arena);
}

static void few_calls_are_not_made_fewer(void **state)
{
    Arena arena = {0};
    const CallPlan few = {.blocks = 3, .timed_calls = 20}, fewest = {.blocks = 3, .timed_calls = 8};
    for (uint32_t word = 0; word < KEYS; word++) {
        const CallPlan plan = plan_with_key(word, &few, CASES, &arena);
        assert_true(plan.timed_calls >= 15 && plan.timed_calls <= 18);
        assert_int_equal(plan_with_key(word, &fewest, CASES, &arena).timed_calls, 8);
    }
    arena_free(&arena);
}

static void a_single_case_has_one_order(void **state)
{
    Arena arena = {0};
    const CallPlan plan = plan_with_key(1, &first, 1, &arena);
    assert_int_equal(call_plan_case(&plan, 0), 0);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_sitting_has_other_counts_and_another_order),
        cmocka_unit_test(another_key_draws_another_plan),
        cmocka_unit_test(few_calls_are_not_made_fewer),
        cmocka_unit_test(a_single_case_has_one_order),
    };
    return cmocka_run_group_tests_name("second_plan", tests, NULL, NULL);
}
