#include "base/tests/unit.h"

#include "grader/judge/timing.h"

#include <math.h>

static void ratios_are_taken_round_by_round(void **state)
{
    const double a[] = {10, 20, 40, 12}, b[] = {5, 10, 20, 4}; /* both are four times slower in the third round */
    const PairedRatio ratio = paired_ratio(a, b, 4);
    assert_int_equal(ratio.rounds, 4);
    assert_true(ratio.median == 2 && ratio.low == 2 && ratio.high == 3);
    assert_true(paired_ratio(a, b, 3).high == 2);
}

static void a_round_without_both_times_does_not_count(void **state)
{
    const double a[] = {10, 0, 10}, b[] = {5, 5, 0}, none[] = {0, 0, 0};
    const PairedRatio ratio = paired_ratio(a, b, 3), nothing = paired_ratio(a, none, 3);
    assert_int_equal(ratio.rounds, 1);
    assert_true(ratio.median == 2);
    assert_int_equal(nothing.rounds, 0);
    assert_int_equal(paired_order(&nothing), 0);
}

/* By hand: the second smallest and the second largest of 10 miss the median in 11 of 512 cases, of 11 in 12 of 1024; the third
 * ones of 14 in 106 of 8192; of 31 the ninth ones in 11460949 of 2^30, the tenth ones in 31621024. */
static void an_interval_leaves_out_as_many_as_it_may(void **state)
{
    static const struct {
        size_t rounds, outside;
    } rows[] = {{1, 0}, {2, 0}, {6, 0}, {7, 0}, {10, 0}, {11, 1}, {14, 2}, {31, 8}};
    double a[31], ones[31];
    for (size_t i = 0; i < COUNT_OF(a); i++) {
        a[i] = (double)((i * 7) % 31 + 1);
        ones[i] = 1;
    }
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const PairedRatio ratio = paired_ratio(a, ones, rows[i].rounds);
        size_t below = 0, above = 0;
        for (size_t k = 0; k < rows[i].rounds; k++) {
            below += a[k] < ratio.low;
            above += a[k] > ratio.high;
        }
        if (below != rows[i].outside || above != rows[i].outside)
            fail_test("%zu rounds: %zu below, %zu above, expected %zu", rows[i].rounds, below, above, rows[i].outside);
    }
}

static void a_difference_that_matters_is_looked_for(void **state)
{
    static const struct {
        double low, median, high;
        bool decided;
    } rows[] = {{0.981, 1.001, 1.019, true},
                {0.981, 1.012, 1.021, false},
                {0.979, 0.999, 1.019, false},
                {1.002, 1.02, 1.04, true}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const PairedRatio ratio = {.low = rows[i].low, .median = rows[i].median, .high = rows[i].high, .rounds = 7};
        if (paired_is_decided(&ratio) != rows[i].decided)
            fail_test("row %zu", i);
    }
    assert_true(paired_is_decided(&(PairedRatio){0}));
}

static void one_is_faster_only_if_it_is_in_every_round(void **state)
{
    static const struct {
        double low, high;
        int order;
    } rows[] = {{0.90, 0.99, -1}, {0.90, 0.995, 0}, {0.99, 1.01, 0}, {1, 1, 0}, {1.005, 1.1, 0}, {1.01, 1.1, 1}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const PairedRatio ratio = {
            .low = rows[i].low, .median = (rows[i].low + rows[i].high) / 2, .high = rows[i].high, .rounds = 6};
        if (paired_order(&ratio) != rows[i].order)
            fail_test("row %zu: expected %d", i, rows[i].order);
    }
}

static void many_rounds_must_agree_and_their_median_must_not_be_a_tie(void **state)
{
    static const struct {
        double low, median, high;
        int order;
    } rows[] = {{1.002, 1.02, 1.04, 1},  {0.999, 1.02, 1.04, 0}, {1.002, 1.005, 1.04, 0}, {1, 1, 1, 0},
                {0.96, 0.98, 0.998, -1}, {0.96, 0.98, 1.001, 0}, {0.96, 0.996, 0.998, 0}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const PairedRatio ratio = {.low = rows[i].low, .median = rows[i].median, .high = rows[i].high, .rounds = 7};
        if (paired_order(&ratio) != rows[i].order)
            fail_test("row %zu: expected %d", i, rows[i].order);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ratios_are_taken_round_by_round),
        cmocka_unit_test(a_round_without_both_times_does_not_count),
        cmocka_unit_test(an_interval_leaves_out_as_many_as_it_may),
        cmocka_unit_test(a_difference_that_matters_is_looked_for),
        cmocka_unit_test(one_is_faster_only_if_it_is_in_every_round),
        cmocka_unit_test(many_rounds_must_agree_and_their_median_must_not_be_a_tie),
    };
    return cmocka_run_group_tests_name("paired", tests, NULL, NULL);
}
