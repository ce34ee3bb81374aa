#include "base/tests/unit.h"

#include "simgpu/cost/cost.h"

#include <math.h>
#include <string.h>

static const HardwareProfile profile = {.combine_power = 2.5};

enum { BLOCKS = 8 };

static double together(double first, bool first_is_unit, double second, bool second_is_unit)
{
    const CostPart parts[] = {{"first", first, first_is_unit, 0}, {"second", second, second_is_unit, 0}};
    return combine_seconds(parts, COUNT_OF(parts), BLOCKS, &profile);
}

/* A kernel that works for `units`, and whose longest warp takes `latency`, the first `wait` together with its block. */
static double waiting(double units, double latency, double wait, double blocks)
{
    const CostPart parts[] = {{"units", units, true, 0}, {"latency", latency, false, wait}};
    return combine_seconds(parts, COUNT_OF(parts), blocks, &profile);
}

/* conv2d-separable/naive_2d on an H200, 2048 x 2048 with radius 32: 7453 us, where instructions alone take 5883 us and
 * loads 7360. */
static void units_of_a_multiprocessor_hide_behind_the_slowest(void **state)
{
    double us = together(5883, true, 7360, true);
    assert_true(us > 7360 && us < 1.1 * 7453);
    assert_true(fabs(together(1, true, 1, true) - pow(2, 1 / 4.0)) < 1e-12);
}

static void memory_hides_less_well_behind_them(void **state)
{
    assert_true(fabs(together(1, true, 1, false) - pow(2, 1 / 2.5)) < 1e-12);
    assert_true(fabs(together(1, false, 1, false) - pow(2, 1 / 2.5)) < 1e-12);
}

static void a_part_alone_takes_its_time_and_nothing_takes_none(void **state)
{
    assert_true(fabs(together(3, true, 0, false) - 3) < 1e-12 && fabs(together(0, true, 3, false) - 3) < 1e-12);
    assert_true(together(0, true, 0, false) == 0);
    assert_true(isfinite(together(1e300, true, 1e300, false)));
}

static void few_blocks_leave_the_units_idle_while_they_wait(void **state)
{
    assert_true(fabs(waiting(10, 2, 2, 1) - 12) < 1e-12);
    assert_true(waiting(10, 2, 2, 2) > waiting(10, 2, 2, 8) && waiting(10, 2, 2, 8) > 10);
    assert_true(waiting(10, 2, 2, 1000) < 10.1);
}

static void no_kernel_is_faster_than_its_longest_warp(void **state)
{
    for (double wait = 0; wait <= 8; wait += 0.5)
        for (int blocks = 1; blocks <= 32; blocks *= 2)
            for (double units = 0; units <= 16; units += 0.5) {
                assert_true(waiting(units, 8, wait, blocks) >= fmax(8, units) * (1 - 1e-12));
                assert_true(waiting(units + 0.5, 8, wait, blocks) >= waiting(units, 8, wait, blocks));
            }
    assert_true(waiting(0, 8, 4, 2) == 8 && waiting(0, 0, 4, 2) == 0);
}

static void the_weights_of_all_parts_add_up_to_one(void **state)
{
    const CostPart parts[] = {
        {"a", 5, true, 0}, {"b", 3, true, 0}, {"c", 4, false, 0}, {"d", 0, true, 0}, {"e", 1, false, 0.5}};
    double weights[COUNT_OF(parts)], sum = 0;
    combine_weights(parts, COUNT_OF(parts), BLOCKS, &profile, weights);
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        sum += weights[i];
    assert_true(fabs(sum - 1) < 1e-12 && weights[0] > weights[1] && weights[2] > weights[4] && weights[3] == 0);
    const CostPart nothing[] = {{"a", 0, true, 0}, {"b", 0, false, 1}};
    combine_weights(nothing, COUNT_OF(nothing), BLOCKS, &profile, weights);
    assert_true(weights[0] == 0 && weights[1] == 0);
}

/* A part's weight is by which fraction of a small change of it the time changes. */
static void a_part_weighs_what_a_little_more_of_it_adds(void **state)
{
    for (double units = 0.5; units <= 16; units *= 2) {
        const CostPart parts[] = {{"a", units, true, 0}, {"b", 3, true, 0}, {"c", 4, false, 2}, {"d", 3, false, 0}};
        double weights[COUNT_OF(parts)], before = combine_seconds(parts, COUNT_OF(parts), BLOCKS, &profile);
        combine_weights(parts, COUNT_OF(parts), BLOCKS, &profile, weights);
        for (size_t i = 0; i < COUNT_OF(parts); i++) {
            CostPart more[COUNT_OF(parts)];
            memcpy(more, parts, sizeof more);
            more[i].seconds *= 1.0001;
            more[i].wait_s *= 1.0001;
            double added = (combine_seconds(more, COUNT_OF(more), BLOCKS, &profile) / before - 1) / 0.0001;
            assert_true(weights[i] >= 0 && fabs(added - weights[i]) < 1e-3);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_of_a_multiprocessor_hide_behind_the_slowest),
        cmocka_unit_test(memory_hides_less_well_behind_them),
        cmocka_unit_test(a_part_alone_takes_its_time_and_nothing_takes_none),
        cmocka_unit_test(few_blocks_leave_the_units_idle_while_they_wait),
        cmocka_unit_test(no_kernel_is_faster_than_its_longest_warp),
        cmocka_unit_test(the_weights_of_all_parts_add_up_to_one),
        cmocka_unit_test(a_part_weighs_what_a_little_more_of_it_adds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
