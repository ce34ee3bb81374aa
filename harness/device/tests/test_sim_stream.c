/* The modelled time of operations on streams.  */
#include "harness/device/tests/sim_kernels.h"

#include "harness/device/execution_profile.h"
#include "harness/device/sim_state.h"

#include <stdlib.h>

/* The bracket's time for some operations on streams, in seconds of one kernel (k) and of one copy across the bus (c).
 * The overhead of a bracket (once) and of the host's waiting (wait) depend on the device. */
static double k_s, c_s, once_s, wait_s;

static double bracket_work(Fixture *f)
{
    return bracket(f) - once_s;
}

static void measure_units(Fixture *f)
{
    static uint8_t bytes[ARRAY_BYTES];
    once_s = wait_s = 0;
    assert_int_equal(f->device->timing->begin(f->device), 0);
    store(f, f->array, 1, 100, NULL);
    store(f, f->array, 1, 100, NULL);
    double two_s = bracket(f);
    assert_int_equal(f->device->timing->begin(f->device), 0);
    store(f, f->array, 1, 100, NULL);
    assert_int_equal(f->device->streams->synchronize_all(f->device), 0);
    store(f, f->array, 1, 100, NULL);
    wait_s = bracket(f) - two_s;
    assert_int_equal(f->device->timing->begin(f->device), 0);
    store(f, f->array, 1, 100, NULL);
    once_s = 2 * bracket(f) - two_s;
    assert_true(once_s > 0 && wait_s > 0);
    assert_int_equal(f->device->timing->begin(f->device), 0);
    store(f, f->array, 1, 100, NULL);
    k_s = bracket_work(f);
    assert_int_equal(f->device->timing->begin(f->device), 0);
    f->device->copies->write(f->device, f->array, bytes, sizeof bytes, NULL);
    c_s = bracket_work(f);
    assert_true(k_s > 0 && c_s > 0);
}

static void upload(Fixture *f, DeviceStream *stream)
{
    static uint8_t bytes[ARRAY_BYTES];
    assert_int_equal(f->device->copies->write(f->device, f->array, bytes, sizeof bytes, stream), 0);
}

static void assert_seconds(double found, double expected)
{
    if (!(found > expected * 0.999999 && found < expected * 1.000001))
        fail_test("%g s, expected %g s (kernel %g s, copy %g s)", found, expected, k_s, c_s);
}

static void operations_of_one_stream_follow_each_other(void **state)
{
    Fixture *f = *state;
    measure_units(f);
    assert_int_equal(f->device->timing->begin(f->device), 0);
    upload(f, NULL);
    store(f, f->array, 1, 100, NULL);
    assert_seconds(bracket_work(f), c_s + k_s);
}

/* What makes the model less sure of the time of the bracket. */
static void expect_doubts(const Fixture *f, bool uses_streams, bool waits_for_host)
{
    DeviceStatistics statistics;
    f->device->report->statistics(f->device, &statistics);
    assert_int_equal(statistics.uses_streams, uses_streams);
    assert_int_equal(statistics.waits_for_host, waits_for_host);
}

static void copies_overlap_kernels_of_other_streams(void **state)
{
    Fixture *f = *state;
    DeviceStream *a, *b;
    measure_units(f);
    assert_int_equal(f->device->streams->create(f->device, DEVICE_STREAM_BLOCKING, &a), 0);
    assert_int_equal(f->device->streams->create(f->device, DEVICE_STREAM_BLOCKING, &b), 0);
    assert_int_equal(f->device->timing->begin(f->device), 0);
    upload(f, a);
    store(f, f->array, 1, 100, b);
    assert_seconds(bracket_work(f), c_s > k_s ? c_s : k_s);
    expect_doubts(f, true, false);
    assert_int_equal(f->device->timing->begin(f->device), 0);
    store(f, f->array, 1, 100, a);
    store(f, f->array, 1, 100, a);
    assert_seconds(bracket_work(f), 2 * k_s);
    expect_doubts(f, false, false);
}

/* The modelled time of `count` kernels on `streams` streams in turn. */
static double kernels_on_streams(Fixture *f, DeviceStream **streams, int stream_count, int count)
{
    assert_int_equal(f->device->timing->begin(f->device), 0);
    for (int i = 0; i < count; i++)
        store(f, f->array, 1, 100, streams[i % stream_count]);
    return bracket_work(f);
}

static void small_kernels_of_several_streams_run_side_by_side_but_are_taken_one_by_one(void **state)
{
    Fixture *f = *state;
    DeviceStream *streams[8];
    measure_units(f);
    for (int i = 0; i < 8; i++)
        assert_int_equal(f->device->streams->create(f->device, DEVICE_STREAM_BLOCKING, &streams[i]), 0);
    assert_seconds(kernels_on_streams(f, streams, 1, 8), 8 * k_s);
    const double two = kernels_on_streams(f, streams, 2, 2), eight = kernels_on_streams(f, streams, 8, 8);
    assert_true(two >= k_s && two < 1.5 * k_s);
    const double taken = (eight - k_s) / 7;
    assert_true(taken > 0.3 * k_s && taken < 0.7 * k_s);
}

static void a_stream_that_is_made_between_kernels_takes_the_host_time(void **state)
{
    Fixture *f = *state;
    DeviceStream *stream;
    measure_units(f);
    assert_int_equal(f->device->timing->begin(f->device), 0);
    store(f, f->array, 1, 100, NULL);
    assert_int_equal(f->device->streams->create(f->device, DEVICE_STREAM_NON_BLOCKING, &stream), 0);
    store(f, f->array, 1, 100, stream);
    assert_seconds(bracket_work(f), SIM_STREAM_CREATION_S + k_s);
}

static void the_default_stream_waits_for_blocking_streams_only(void **state)
{
    Fixture *f = *state;
    DeviceStream *blocking, *free_running;
    measure_units(f);
    assert_int_equal(f->device->streams->create(f->device, DEVICE_STREAM_BLOCKING, &blocking), 0);
    assert_int_equal(f->device->streams->create(f->device, DEVICE_STREAM_NON_BLOCKING, &free_running), 0);
    assert_int_equal(f->device->timing->begin(f->device), 0);
    store(f, f->array, 1, 100, blocking);
    upload(f, NULL);
    assert_seconds(bracket_work(f), k_s + c_s);
    assert_int_equal(f->device->timing->begin(f->device), 0);
    upload(f, NULL);
    store(f, f->array, 1, 100, blocking);
    assert_seconds(bracket_work(f), k_s + c_s);
    assert_int_equal(f->device->timing->begin(f->device), 0);
    store(f, f->array, 1, 100, free_running);
    upload(f, NULL);
    assert_seconds(bracket_work(f), c_s > k_s ? c_s : k_s);
}

static void an_event_holds_up_another_stream_and_tells_the_time(void **state)
{
    Fixture *f = *state;
    DeviceStream *a, *b;
    DeviceEvent *start, *stop;
    double seconds;
    measure_units(f);
    f->device->streams->create(f->device, DEVICE_STREAM_NON_BLOCKING, &a);
    f->device->streams->create(f->device, DEVICE_STREAM_NON_BLOCKING, &b);
    f->device->events->create(f->device, true, &start);
    f->device->events->create(f->device, true, &stop);
    assert_int_equal(f->device->events->elapsed(f->device, start, stop, &seconds), CUDA_ERROR_INVALID_RESOURCE_HANDLE);
    assert_int_equal(f->device->timing->begin(f->device), 0);
    f->device->events->record(f->device, start, a);
    store(f, f->array, 1, 100, a);
    f->device->events->record(f->device, stop, a);
    f->device->streams->wait_event(f->device, b, stop);
    upload(f, b);
    assert_int_equal(f->device->events->elapsed(f->device, start, stop, &seconds), CUDA_ERROR_NOT_READY);
    assert_int_equal(f->device->events->synchronize(f->device, stop), 0);
    assert_int_equal(f->device->events->elapsed(f->device, start, stop, &seconds), 0);
    assert_seconds(seconds, k_s);
    assert_seconds(bracket_work(f), k_s + c_s);
    f->device->events->destroy(f->device, start);
    f->device->events->destroy(f->device, stop);
}

static double bracket_of_store(Fixture *f)
{
    assert_int_equal(f->device->timing->begin(f->device), 0);
    assert_int_equal(store(f, f->array, 1, 100, NULL), 0);
    return bracket(f);
}

static void what_ran_before_does_not_show_in_the_time(void **state)
{
    Fixture *f = *state;
    double seconds = bracket_of_store(f);
    for (uint32_t blocks = 1; blocks < 200; blocks += 7) {
        assert_int_equal(store(f, f->array, 1, blocks, NULL), 0);
        assert_true(bracket_of_store(f) == seconds);
    }
}

/* In an untimed check, sectors are not counted either. */
static uint64_t sectors_of_store(Fixture *f)
{
    DeviceStatistics statistics;
    f->device->report->reset(f->device);
    assert_int_equal(store(f, f->array, 1, 100, NULL), 0);
    f->device->report->statistics(f->device, &statistics);
    assert_true(statistics.counters.warp_instructions > 0);
    return statistics.counters.global_store_sectors;
}

static void an_untimed_check_holds_until_an_event_is_timed(void **state)
{
    Fixture *f = *state;
    DeviceCheck check = {.is_untimed = true};
    static ExecutionProfile profile;
    DeviceEvent *event;
    uint64_t sectors = sectors_of_store(f);
    f->device->simulation->set_check(f->device, &check);
    assert_int_equal(sectors_of_store(f), 0);
    f->device->simulation->set_profile(f->device, &profile);
    assert_int_equal(sectors_of_store(f), sectors);
    f->device->simulation->set_profile(f->device, NULL);
    f->device->events->create(f->device, false, &event);
    f->device->events->destroy(f->device, event);
    assert_int_equal(sectors_of_store(f), 0);
    f->device->events->create(f->device, true, &event);
    f->device->events->destroy(f->device, event);
    assert_int_equal(sectors_of_store(f), sectors);
    f->device->simulation->set_check(f->device, NULL);
}

static void waiting_on_the_host_orders_streams(void **state)
{
    Fixture *f = *state;
    DeviceStream *a, *b;
    measure_units(f);
    f->device->streams->create(f->device, DEVICE_STREAM_NON_BLOCKING, &a);
    f->device->streams->create(f->device, DEVICE_STREAM_NON_BLOCKING, &b);
    assert_int_equal(f->device->timing->begin(f->device), 0);
    store(f, f->array, 1, 100, a);
    assert_int_equal(f->device->streams->synchronize(f->device, a), 0);
    upload(f, b);
    assert_seconds(bracket_work(f), k_s + wait_s + c_s);
    expect_doubts(f, true, true);
}

static void a_poll_sees_work_under_way_and_then_its_end(void **state)
{
    Fixture *f = *state;
    assert_int_equal(f->device->streams->query(f->device, NULL), 0);
    store(f, f->array, 1, 100, NULL);
    assert_int_equal(f->device->streams->query(f->device, NULL), CUDA_ERROR_NOT_READY);
    assert_int_equal(f->device->streams->query(f->device, NULL), 0);
    store(f, f->array, 1, 100, NULL);
    assert_int_equal(f->device->streams->synchronize_all(f->device), 0);
    assert_int_equal(f->device->streams->query(f->device, NULL), 0);
}

static void copy_rows_to_host(Fixture *f, void *to)
{
    const DevicePlace host = {.host = to, .pitch = ARRAY_BYTES, .slice_rows = 1};
    const DevicePlace array = {.address = f->array, .pitch = ARRAY_BYTES, .slice_rows = 1};
    const DeviceBox box = {ARRAY_BYTES, 1, 1};
    assert_int_equal(f->device->arrays->copy_box(f->device, &host, &array, &box, NULL), 0);
}

/* The host is another process than the device. */
static void what_the_host_waits_for_is_long_under_way(void **state)
{
    Fixture *f = *state;
    static uint8_t bytes[ARRAY_BYTES];
    measure_units(f);
    assert_int_equal(f->device->timing->begin(f->device), 0);
    assert_int_equal(f->device->copies->read(f->device, bytes, f->array, sizeof bytes, NULL), 0);
    store(f, f->array, 1, 100, NULL);
    double read_s = bracket_work(f);
    assert_true(read_s > c_s + wait_s + k_s + 1e-5);
    assert_int_equal(f->device->timing->begin(f->device), 0);
    copy_rows_to_host(f, bytes);
    store(f, f->array, 1, 100, NULL);
    assert_seconds(bracket_work(f), read_s);
}

/* Neither a wait that no kernel follows nor the making of a stream counts. */
static void waits_between_kernels_are_counted(void **state)
{
    static ExecutionProfile profile;
    Fixture *f = *state;
    DeviceStream *stream;
    f->device->simulation->set_profile(f->device, &profile);
    for (int waits = 0; waits < 3; waits++) {
        profile.waits = 0;
        assert_int_equal(f->device->timing->begin(f->device), 0);
        store(f, f->array, 1, 100, NULL);
        for (int i = 0; i < waits; i++) {
            assert_int_equal(f->device->streams->synchronize_all(f->device), 0);
            store(f, f->array, 1, 100, NULL);
        }
        assert_int_equal(f->device->streams->create(f->device, DEVICE_STREAM_BLOCKING, &stream), 0);
        store(f, f->array, 1, 100, stream);
        assert_int_equal(f->device->streams->synchronize_all(f->device), 0);
        bracket(f);
        assert_int_equal(profile.waits, waits);
    }
    f->device->simulation->set_profile(f->device, NULL);
}

static void nothing_done_takes_no_time(void **state)
{
    Fixture *f = *state;
    assert_int_equal(f->device->timing->begin(f->device), 0);
    assert_true(bracket(f) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_A_DEVICE(operations_of_one_stream_follow_each_other),
        ON_A_DEVICE(copies_overlap_kernels_of_other_streams),
        ON_A_DEVICE(small_kernels_of_several_streams_run_side_by_side_but_are_taken_one_by_one),
        ON_A_DEVICE(a_stream_that_is_made_between_kernels_takes_the_host_time),
        ON_A_DEVICE(the_default_stream_waits_for_blocking_streams_only),
        ON_A_DEVICE(an_event_holds_up_another_stream_and_tells_the_time),
        ON_A_DEVICE(what_ran_before_does_not_show_in_the_time),
        ON_A_DEVICE(an_untimed_check_holds_until_an_event_is_timed),
        ON_A_DEVICE(waiting_on_the_host_orders_streams),
        ON_A_DEVICE(a_poll_sees_work_under_way_and_then_its_end),
        ON_A_DEVICE(what_the_host_waits_for_is_long_under_way),
        ON_A_DEVICE(waits_between_kernels_are_counted),
        ON_A_DEVICE(nothing_done_takes_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
