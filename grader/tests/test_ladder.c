#include "base/tests/unit.h"

#include "grader/ladder.h"

static void only_times_of_the_same_source_are_taken(void **state)
{
    Rung rungs[] = {{.time = {.name = "a.cu", .source_hash = "1"}}, {.time = {.name = "b.cu", .source_hash = "2"}},
                    {.time = {.name = "c.cu", .source_hash = "3", .time = {9, 0.1}}}};
    Ladder ladder = {.rungs = rungs, .count = 3};
    const ReferenceTime times[] = {
        {.name = "a.cu", .source_hash = "1", .time_utc = "then", .time = {5, 0.1}},
        {.name = "b.cu", .source_hash = "changed", .time_utc = "then", .time = {6, 0.1}},
        {.name = "c.cu", .source_hash = "3", .time_utc = "then", .time = {7, 0.1}},
        {.name = "gone.cu", .source_hash = "4", .time_utc = "then", .time = {8, 0.1}},
    };
    ladder_take(&ladder, times, COUNT_OF(times));
    assert_true(rungs[0].time.time.ms == 5);
    assert_true(rungs[1].time.time.ms == 0);
    assert_true(rungs[2].time.time.ms == 9); /* what is known stays */
    arena_free(&ladder.arena);
}

static void the_ladder_is_sorted_and_leaves_out_what_has_no_time(void **state)
{
    Rung rungs[] = {{.time = {.name = "slow", .source_hash = "", .time_utc = "", .time = {3, 0.1}}},
                    {.time = {.name = "unknown", .source_hash = ""}},
                    {.time = {.name = "fast", .source_hash = "", .time_utc = "", .time = {1, 0.1}}}};
    const Ladder ladder = {.rungs = rungs, .count = 3};
    Arena arena = {0};
    size_t count;
    ReferenceTime *times = ladder_times(&ladder, &arena, &count);
    assert_int_equal(count, 2);
    assert_string_equal(times[0].name, "fast");
    assert_string_equal(times[1].name, "slow");
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_times_of_the_same_source_are_taken),
        cmocka_unit_test(the_ladder_is_sorted_and_leaves_out_what_has_no_time),
    };
    return cmocka_run_group_tests_name("ladder", tests, NULL, NULL);
}
