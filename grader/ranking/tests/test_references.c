#include "base/tests/unit.h"

#include "grader/ranking/ranking.h"

static void only_times_of_the_same_source_are_taken(void **state)
{
    Reference solutions[] = {{.time = {.name = "a.cu", .source_hash = "1"}},
                             {.time = {.name = "b.cu", .source_hash = "2"}},
                             {.time = {.name = "c.cu", .source_hash = "3", .time = {9, 0.1}}}};
    References references = {.solutions = solutions, .count = 3};
    const ReferenceTime times[] = {
        {.name = "a.cu", .source_hash = "1", .time_utc = "then", .time = {5, 0.1}},
        {.name = "b.cu", .source_hash = "changed", .time_utc = "then", .time = {6, 0.1}},
        {.name = "c.cu", .source_hash = "3", .time_utc = "then", .time = {7, 0.1}},
        {.name = "gone.cu", .source_hash = "4", .time_utc = "then", .time = {8, 0.1}},
    };
    references_take(&references, times, COUNT_OF(times));
    assert_true(solutions[0].time.time.ms == 5);
    assert_true(solutions[1].time.time.ms == 0);
    assert_true(solutions[2].time.time.ms == 9); /* a known time stays */
    arena_free(&references.arena);
}

static void times_without_sources_make_references_of_their_own(void **state)
{
    const ReferenceTime times[] = {{.name = "a.cu", .source_hash = "1", .time_utc = "then", .time = {5, 0.1}}};
    References references = {0};
    references_adopt(&references, times, COUNT_OF(times));
    assert_int_equal(references.count, 1);
    assert_string_equal(references.solutions[0].time.name, "a.cu");
    assert_true(references.solutions[0].time.time.ms == 5);
    assert_int_equal(references.solutions[0].submission.source.length, 0);
    references_free(&references);
}

static void references_are_sorted_and_leave_out_what_has_no_time(void **state)
{
    Reference solutions[] = {{.time = {.name = "slow", .source_hash = "", .time_utc = "", .time = {3, 0.1}}},
                             {.time = {.name = "unknown", .source_hash = ""}},
                             {.time = {.name = "fast", .source_hash = "", .time_utc = "", .time = {1, 0.1}}}};
    const References references = {.solutions = solutions, .count = 3};
    Arena arena = {0};
    size_t count;
    ReferenceTime *times = references_times(&references, &arena, &count);
    assert_int_equal(count, 2);
    assert_string_equal(times[0].name, "fast");
    assert_string_equal(times[1].name, "slow");
    arena_free(&arena);
}

static void the_anchor_is_the_certain_reference_of_median_time(void **state)
{
    static const struct {
        size_t count;
        double ms[5];
        int anchor; /* -1: none */
        double uncertainty[5];
    } rows[] = {
        {0, {0}, -1, {0}},
        {2, {0, 0}, -1, {0}},
        {1, {4}, 0, {0}},
        {3, {3, 1, 2}, 2, {0}},
        {4, {3, 1, 2, 4}, 2, {0}},    /* the faster of the middle two */
        {5, {0, 9, 0, 1, 5}, 4, {0}}, /* references without a time do not count */
        {3, {2, 2, 2}, 1, {0}},
        {4, {3, 1, 2, 4}, 0, {0.005, 0.01, 0.011, 0.005}}, /* what is not certain to 1 % does not count */
        {3, {3, 1, 2}, 2, {0.02, 0.02, 0.03}},             /* unless nothing is */
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Reference solutions[5] = {0};
        for (size_t k = 0; k < rows[i].count; k++)
            solutions[k].time.time = (MeasuredTime){.ms = rows[i].ms[k], .uncertainty = rows[i].uncertainty[k]};
        const References references = {.solutions = solutions, .count = rows[i].count};
        const Reference *expected = rows[i].anchor < 0 ? NULL : &solutions[rows[i].anchor];
        if (references_anchor(&references) != expected)
            fail_test("row %zu: another anchor than number %d", i, rows[i].anchor);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_times_of_the_same_source_are_taken),
        cmocka_unit_test(times_without_sources_make_references_of_their_own),
        cmocka_unit_test(references_are_sorted_and_leave_out_what_has_no_time),
        cmocka_unit_test(the_anchor_is_the_certain_reference_of_median_time),
    };
    return cmocka_run_group_tests_name("references", tests, NULL, NULL);
}
