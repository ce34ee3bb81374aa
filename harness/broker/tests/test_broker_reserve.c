/* Brokers that open their device ahead of time, of a simulated GPU. */
#include "base/tests/unit.h"

#include "harness/broker/broker.h"
#include "harness/broker/gpu_session.h"

#include <signal.h>
#include <string.h>

typedef struct Bench {
    BrokerProcess first;
    BrokerReserve reserve;
} Bench;

static int set_up(void **state)
{
    static Bench bench;
    Message why;
    bench = (Bench){.first = broker_process_new("sim")};
    assert_int_equal(broker_process_start(&bench.first, &why), STATUS_OK);
    assert_int_equal(broker_process_open(&bench.first, &why), STATUS_OK);
    bench.first.info.memory_bytes = 141ull << 30;
    *state = &bench;
    return 0;
}

static int tear_down(void **state)
{
    Bench *bench = *state;
    broker_reserve_stop(&bench->reserve);
    broker_process_end(&bench->first);
    return 0;
}

static bool lives(pid_t process)
{
    return kill(process, 0) == 0;
}

static void each_load_takes_one_that_is_open(void **state)
{
    Bench *bench = *state;
    pid_t pids[4] = {0}, used = bench->first.pid;
    broker_reserve_fill(&bench->reserve, &bench->first, 2);
    assert_int_equal(broker_reserve_list(&bench->reserve, pids, 4), 2);
    assert_true(pids[0] != used && pids[1] != used && pids[0] != pids[1]);
    assert_true(broker_reserve_take(&bench->reserve, &bench->first));
    assert_true(bench->first.opened && bench->first.pid == pids[1] && lives(pids[1]));
    assert_false(lives(used));
    assert_true(broker_reserve_take(&bench->reserve, &bench->first));
    assert_true(bench->first.opened && bench->first.pid == pids[0] && !lives(pids[1]));
    assert_false(broker_reserve_take(&bench->reserve, &bench->first));
    assert_true(bench->first.pid == pids[0] && lives(pids[0]));
}

static void as_many_are_started_as_are_missing(void **state)
{
    Bench *bench = *state;
    pid_t before[4], after[4];
    broker_reserve_fill(&bench->reserve, &bench->first, 1);
    broker_reserve_await(&bench->reserve);
    broker_reserve_list(&bench->reserve, before, 4);
    broker_reserve_fill(&bench->reserve, &bench->first, 3);
    broker_reserve_fill(&bench->reserve, &bench->first, 2);
    assert_int_equal(broker_reserve_list(&bench->reserve, after, 4), 3);
    assert_int_equal(before[0], after[0]);
    assert_int_equal(broker_reserve_list(&bench->reserve, after, 2), 2);
    broker_reserve_await(&bench->reserve);
    for (size_t i = 0; i < 3; i++)
        assert_true(bench->reserve.brokers[i].opened);
}

static void one_that_cannot_open_its_device_is_left_out(void **state)
{
    Bench *bench = *state;
    pid_t pids[4];
    broker_reserve_fill(&bench->reserve, &bench->first, 3);
    assert_int_equal(broker_reserve_list(&bench->reserve, pids, 4), 3);
    assert_int_equal(kill(pids[1], SIGKILL), 0);
    broker_reserve_await(&bench->reserve);
    assert_int_equal(broker_reserve_list(&bench->reserve, pids, 4), 2);
    for (size_t i = 0; i < 2; i++)
        assert_true(bench->reserve.brokers[i].opened && lives(pids[i]));
}

static void a_small_gpu_keeps_its_memory(void **state)
{
    Bench *bench = *state;
    pid_t pids[4];
    bench->first.info.memory_bytes = 8ull << 30;
    broker_reserve_fill(&bench->reserve, &bench->first, 6);
    assert_int_equal(broker_reserve_list(&bench->reserve, pids, 4), 2);
}

static void none_outlives_the_reserve(void **state)
{
    Bench *bench = *state;
    pid_t pids[4];
    broker_reserve_fill(&bench->reserve, &bench->first, 4);
    assert_int_equal(broker_reserve_list(&bench->reserve, pids, 4), 4);
    broker_reserve_stop(&bench->reserve);
    for (size_t i = 0; i < 4; i++)
        assert_false(lives(pids[i]));
    assert_int_equal(broker_reserve_list(&bench->reserve, pids, 4), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_load_takes_one_that_is_open, set_up, tear_down),
        cmocka_unit_test_setup_teardown(as_many_are_started_as_are_missing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_that_cannot_open_its_device_is_left_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_small_gpu_keeps_its_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(none_outlives_the_reserve, set_up, tear_down),
    };
    if (argc > 1 && strcmp(argv[1], "broker") == 0) /* the reserve starts its own program as the broker */
        return broker_main(argc - 1, argv + 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
