#include "base/tests/unit.h"

#include "service/queue/head.h"

#include <stdio.h>
#include <string.h>

static SpoolIdle idle_of(const char *worker, int64_t count, bool is_held)
{
    SpoolIdle idle = {.count = count, .device = "h200", .device_name = "NVIDIA H200", .is_held = is_held};
    strcpy(idle.worker, worker);
    return idle;
}

static double see(IdleWorkers *presences, const char *worker, int64_t count, double now_s)
{
    const SpoolIdle idle = idle_of(worker, count, false);
    return idle_workers_see(presences, &idle, now_s);
}

static void a_counter_stands_still_from_its_last_change(void **state)
{
    IdleWorkers presences = {0};
    idle_workers_begin(&presences);
    assert_true(see(&presences, "a", 7, 100) == 0);
    assert_true(see(&presences, "b", 7, 101) == 0);
    assert_false(idle_workers_end(&presences));
    idle_workers_begin(&presences);
    assert_true(see(&presences, "a", 7, 105) == 5);
    assert_true(see(&presences, "b", 8, 105) == 0);
    idle_workers_end(&presences);
    idle_workers_begin(&presences);
    assert_true(see(&presences, "a", 1, 106) == 0); /* it was started again */
    assert_true(see(&presences, "b", 8, 109) == 4);
    idle_workers_end(&presences);
    assert_int_equal(presences.count, 2);
    idle_workers_free(&presences);
}

static void who_is_not_seen_is_forgotten(void **state)
{
    IdleWorkers presences = {0};
    idle_workers_begin(&presences);
    see(&presences, "a", 1, 100);
    see(&presences, "b", 1, 100);
    see(&presences, "c", 1, 100);
    idle_workers_end(&presences);
    idle_workers_begin(&presences);
    see(&presences, "b", 2, 103);
    see(&presences, "c", 1, 103);
    idle_workers_forget(&presences, "c");
    idle_workers_forget(&presences, "nobody");
    assert_true(idle_workers_end(&presences));
    assert_int_equal(presences.count, 1);
    assert_string_equal(presences.items[0].worker, "b");
    idle_workers_begin(&presences);
    assert_true(see(&presences, "c", 1, 150) == 0); /* a new life */
    idle_workers_free(&presences);
}

static void what_a_worker_says_last_counts(void **state)
{
    IdleWorkers presences = {0};
    const SpoolIdle held = idle_of("a", 2, true);
    see(&presences, "a", 1, 100);
    assert_false(presences.items[0].is_held);
    idle_workers_see(&presences, &held, 101);
    assert_true(presences.items[0].is_held);
    assert_string_equal(presences.items[0].device, "h200");
    assert_string_equal(presences.items[0].device_name, "NVIDIA H200");
    idle_workers_free(&presences);
}

static void many_workers_can_be_idle(void **state)
{
    IdleWorkers presences = {0};
    char name[32];
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "w%d", i);
        see(&presences, name, 1, i);
    }
    assert_int_equal(presences.count, 100);
    assert_true(see(&presences, "w3", 1, 100) == 97);
    idle_workers_free(&presences);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_counter_stands_still_from_its_last_change),
        cmocka_unit_test(who_is_not_seen_is_forgotten),
        cmocka_unit_test(what_a_worker_says_last_counts),
        cmocka_unit_test(many_workers_can_be_idle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
