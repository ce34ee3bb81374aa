#include "base/tests/unit.h"

#include "grader/judge/call_plan.h"

#include <math.h>

static DeviceInfo settled(const double *us, size_t count)
{
    Launches launches = {0};
    DeviceInfo device = {.launch_s = 1e-6 * us[0], .launch_spread_s = 40e-9};
    for (size_t i = 0; i < count; i++)
        launches_add(&launches, &(DeviceInfo){.launch_s = 1e-6 * us[i]});
    launches_settle(&launches, &device);
    return device;
}

static bool is_near(double seconds, double us)
{
    return fabs(1e6 * seconds - us) < 1e-6;
}

static void all_openings_of_a_device_count(void **state)
{
    const double us[] = {4.64, 4.45, 4.58, 4.42, 4.61};
    const DeviceInfo device = settled(us, COUNT_OF(us));
    assert_true(is_near(device.launch_s, 4.58));
    assert_true(device.launch_spread_s > 0.1e-6 && device.launch_spread_s < 0.12e-6);
    assert_true(is_near(settled(us, 2).launch_s, 4.545));
}

static void equal_openings_have_no_spread(void **state)
{
    const double us[] = {3, 3, 3};
    assert_true(settled(us, COUNT_OF(us)).launch_spread_s == 0);
}

static void a_single_opening_stays_as_it_is(void **state)
{
    const double us[] = {4.64, 0, 0}; /* 0: unknown */
    const DeviceInfo device = settled(us, COUNT_OF(us));
    assert_true(is_near(device.launch_s, 4.64) && is_near(device.launch_spread_s, 0.04));
}

static void slower_openings_behind_the_first_count_for_little(void **state)
{
    const double us[] = {3, 5, 5, 5, 5}, quicker[] = {5, 3, 3, 3, 3};
    assert_true(is_near(settled(us, COUNT_OF(us)).launch_s, 3.15));
    assert_true(is_near(settled(quicker, COUNT_OF(quicker)).launch_s, 3));
}

static void no_more_openings_are_kept_than_there_is_room_for(void **state)
{
    Launches launches = {0};
    for (int i = 0; i < 2 * LAUNCHES_MOST; i++)
        launches_add(&launches, &(DeviceInfo){.launch_s = 3e-6});
    assert_int_equal(launches.count, LAUNCHES_MOST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_openings_of_a_device_count),
        cmocka_unit_test(equal_openings_have_no_spread),
        cmocka_unit_test(a_single_opening_stays_as_it_is),
        cmocka_unit_test(slower_openings_behind_the_first_count_for_little),
        cmocka_unit_test(no_more_openings_are_kept_than_there_is_room_for),
    };
    return cmocka_run_group_tests_name("launches", tests, NULL, NULL);
}
