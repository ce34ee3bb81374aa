#include "base/tests/unit.h"

#include "simgpu/cost/combine.h"

#include <math.h>

static const HardwareProfile profile = {.combine_power = 2.5};

static double together(double first, bool first_is_unit, double second, bool second_is_unit)
{
    const CostPart parts[] = {{"first", first, first_is_unit}, {"second", second, second_is_unit}};
    return combine_seconds(parts, COUNT_OF(parts), &profile);
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

static void the_weights_of_all_parts_add_up_to_one(void **state)
{
    const CostPart parts[] = {{"a", 5, true}, {"b", 3, true}, {"c", 4, false}, {"d", 0, true}, {"e", 1, false}};
    double weights[COUNT_OF(parts)], sum = 0;
    combine_weights(parts, COUNT_OF(parts), &profile, weights);
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        sum += weights[i];
    assert_true(fabs(sum - 1) < 1e-12 && weights[0] > weights[1] && weights[2] > weights[4] && weights[3] == 0);
    const CostPart nothing[] = {{"a", 0, true}, {"b", 0, false}};
    combine_weights(nothing, COUNT_OF(nothing), &profile, weights);
    assert_true(weights[0] == 0 && weights[1] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_of_a_multiprocessor_hide_behind_the_slowest),
        cmocka_unit_test(memory_hides_less_well_behind_them),
        cmocka_unit_test(a_part_alone_takes_its_time_and_nothing_takes_none),
        cmocka_unit_test(the_weights_of_all_parts_add_up_to_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
