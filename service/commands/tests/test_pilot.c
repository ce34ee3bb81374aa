#include "base/tests/unit.h"

#include "service/commands/worker.h"

static void a_judging_is_begun_if_as_much_time_is_left_as_it_may_take(void **state)
{
    const Pilot pilot = {.lifetime_s = 4 * 3600, .idle_s = 60, .started_s = 1000, .worked_s = 1000};
    const double signal_s = 1000 + 4 * 3600 - PILOT_MARGIN_S;
    assert_true(pilot_most_s(&pilot, 1000) == 0);
    assert_true(pilot_most_s(&pilot, signal_s - 3000) == 3000);
}

static void a_new_pilot_can_begin_anything(void **state)
{
    const Pilot pilot = {.lifetime_s = PILOT_LEAST_MINUTES * 60, .idle_s = 60};
    assert_true(pilot_most_s(&pilot, 5) == 0);
    assert_true(pilot_reserve_s(&pilot, 3000) == 150);
    assert_true(pilot_reserve_s(&pilot, 20) == 20);
    assert_true(pilot_most_s(&pilot, 100) == 140);
}

static void a_pilot_ends_when_nothing_comes_or_its_time_is_up(void **state)
{
    Pilot pilot = {.lifetime_s = 3600, .idle_s = 60, .started_s = 0, .worked_s = 100};
    assert_false(pilot_ends(&pilot, 159));
    assert_true(pilot_ends(&pilot, 160));
    pilot.worked_s = 3600 - PILOT_MARGIN_S;
    assert_true(pilot_ends(&pilot, 3600 - PILOT_MARGIN_S));
    pilot.worked_s = 100;
    pilot.is_short = true;
    assert_true(pilot_ends(&pilot, 101));
}

static void another_worker_never_ends_by_itself(void **state)
{
    const Pilot none = {.is_short = false};
    assert_true(pilot_most_s(&none, 1e9) == 0);
    assert_false(pilot_ends(&none, 1e9));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_judging_is_begun_if_as_much_time_is_left_as_it_may_take),
        cmocka_unit_test(a_new_pilot_can_begin_anything),
        cmocka_unit_test(a_pilot_ends_when_nothing_comes_or_its_time_is_up),
        cmocka_unit_test(another_worker_never_ends_by_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
