/* The gate that holds the streams of a submission, and both clocks.  */
#include "harness/device/cuda_gate.h"
#include "harness/tests/cuda_fixture.h"

/* ---- the gate ---------------------------------------------------------------------------------------------------- */

static void nothing_runs_before_the_host_waits_and_everything_does_then(void **state)
{
    Fixture *f = *state;
    DeviceStream *streams[] = {NULL, new_stream(f, false), new_stream(f, true)};
    DeviceEvent *event = new_event(f);
    begin(f);
    empty_log(f);
    for (uint32_t i = 0; i < COUNT_OF(streams); i++) {
        assert_int_equal(store(f, f->array + 64 * i, 7, streams[i]), 0);
        assert_int_equal(f->device->copies->fill(f->device, f->array + 64 * i + 4, 1, 4, streams[i]), 0);
        assert_int_equal(f->device->copies->write(f->device, f->array + 64 * i + 8, "abcd", 4, streams[i]), 0);
        assert_int_equal(f->device->copies->copy(f->device, f->array + 64 * i + 12, f->array + 64 * i, 4, streams[i]),
                         0);
    }
    assert_int_equal(f->device->events->record(f->device, event, streams[2]), 0);
    usleep(GLIMPSE_US);
    assert_int_equal(lines_with(f, "ran "), 0);
    assert_int_equal(lines_with(f, "cuStreamWaitValue64"), 3);
    assert_true(comes_first(f, "cuStreamWaitValue64 stream=0", "cuLaunchKernel store stream=0"));
    assert_true(comes_first(f, "cuStreamWaitValue64 stream=2", "cuLaunchKernel store stream=2"));
    assert_true(comes_first(f, "cuStreamWaitValue64 stream=3", "cuLaunchKernel store stream=3"));
    assert_int_equal(f->device->streams->synchronize_all(f->device), 0);
    assert_int_equal(lines_with(f, "ran cuLaunchKernel"), 3);
    for (uint32_t i = 0; i < COUNT_OF(streams); i++) {
        assert_int_equal(peek(f->array + 64 * i), 7);
        assert_int_equal(peek(f->array + 64 * i + 4), 0x01010101);
        assert_memory_equal((void *)(f->array + 64 * i + 8), "abcd", 4);
        assert_int_equal(peek(f->array + 64 * i + 12), 7);
    }
    end(f);
}

static void outside_a_bracket_nothing_is_held(void **state)
{
    Fixture *f = *state;
    assert_int_equal(store(f, f->array, 7, NULL), 0);
    assert_true(becomes(f->array, 7));
    begin(f);
    end(f);
    assert_int_equal(store(f, f->array, 8, NULL), 0);
    assert_true(becomes(f->array, 8));
}

static void a_small_allocation_keeps_the_gate_closed(void **state)
{
    Fixture *f = *state;
    uint64_t address;
    begin(f);
    assert_int_equal(store(f, f->array, 7, NULL), 0);
    assert_int_equal(f->device->memory->alloc(f->device, 4096, &address), 0);
    usleep(GLIMPSE_US);
    assert_int_equal(peek(f->array), 0);
    end(f);
    assert_int_equal(peek(f->array), 7);
}

/* Each of these calls may wait for the device, as the fake driver does, or polls work that would never end while
 * held. */
typedef struct Held {
    Fixture *f;
    DeviceStream *stream;
    DeviceEvent *before, *event; /* recorded before the bracket and in it, in the stream */
    DeviceModule *module;
    uint64_t allocation;
} Held;

static void ask_stream(Held *held)
{
    held->f->device->streams->query(held->f->device, held->stream);
}

static void ask_legacy_stream(Held *held)
{
    held->f->device->streams->query(held->f->device, NULL);
}

static void ask_event(Held *held)
{
    held->f->device->events->query(held->f->device, held->event);
}

static void ask_time(Held *held)
{
    double seconds;
    held->f->device->events->elapsed(held->f->device, held->before, held->event, &seconds);
}

static void wait_for_event(Held *held)
{
    assert_int_equal(held->f->device->events->synchronize(held->f->device, held->event), 0);
}

static void wait_for_stream(Held *held)
{
    assert_int_equal(held->f->device->streams->synchronize(held->f->device, held->stream), 0);
}

static void wait_for_everything(Held *held)
{
    assert_int_equal(held->f->device->streams->synchronize_all(held->f->device), 0);
}

static void read_bytes(Held *held)
{
    char byte;
    assert_int_equal(held->f->device->copies->read(held->f->device, &byte, held->f->array, 1, NULL), 0);
}

static void write_many_bytes(Held *held)
{
    static char bytes[ARRAY_BYTES / 2];
    assert_int_equal(held->f->device->copies->write(held->f->device, held->f->array + sizeof bytes, bytes, sizeof bytes,
                                                    held->stream),
                     0);
}

static void allocate_much(Held *held)
{
    assert_int_equal(held->f->device->memory->alloc(held->f->device, UNMAPPED_BYTES, &held->allocation), 0);
}

static void release_memory(Held *held)
{
    assert_int_equal(held->f->device->memory->release(held->f->device, held->allocation), 0);
}

static void load_module(Held *held)
{
    Message why;
    assert_int_equal(held->f->device->modules->load(held->f->device, MODULE, sizeof MODULE, &held->module, &why),
                     STATUS_OK);
}

static void find_symbols(Held *held)
{
    uint64_t address, bytes;
    assert_non_null(held->f->device->modules->function(held->module, "fault"));
    assert_true(held->f->device->modules->variable(held->module, "numbers", &address, &bytes));
}

static void unload_module(Held *held)
{
    held->f->device->modules->unload(held->f->device, held->module);
}

static void create_stream(Held *held)
{
    held->stream = new_stream(held->f, true);
}

static void destroy_stream(Held *held)
{
    assert_int_equal(held->f->device->streams->destroy(held->f->device, held->stream), 0);
}

static void fall_silent(Held *held)
{
    held->f->device->hardware->start_held_work(held->f->device);
}

static void each_call_that_may_wait_opens_the_gate(void **state)
{
    Fixture *f = *state;
    Held held = {.f = f, .stream = new_stream(f, true), .before = new_event(f), .event = new_event(f)};
    static const struct {
        const char *name;
        void (*call)(Held *held);
    } cases[] = {
        {"stream_query", ask_stream},
        {"stream_query of the legacy stream", ask_legacy_stream},
        {"event_query", ask_event},
        {"event_elapsed", ask_time},
        {"event_synchronize", wait_for_event},
        {"stream_synchronize", wait_for_stream},
        {"synchronize", wait_for_everything},
        {"read", read_bytes},
        {"write of much", write_many_bytes},
        {"alloc of much", allocate_much},
        {"release", release_memory},
        {"module_load", load_module},
        {"function and variable", find_symbols},
        {"module_unload", unload_module},
        {"stream_new", create_stream},
        {"stream_free", destroy_stream},
        {"let_go", fall_silent},
    };
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        if (cases[i].call == fall_silent)
            held.stream = NULL;
        assert_int_equal(f->device->events->record(f->device, held.before, held.stream), 0);
        begin(f);
        assert_int_equal(store(f, f->array, i + 1, held.stream), 0);
        assert_int_equal(f->device->events->record(f->device, held.event, held.stream), 0);
        usleep(GLIMPSE_US);
        if (peek(f->array) != i)
            fail_test("before %s: nothing was held", cases[i].name);
        cases[i].call(&held);
        if (!becomes(f->array, i + 1))
            fail_test("%s: the gate stays closed", cases[i].name);
        end(f);
    }
}

static void the_gate_opens_at_four_hundred_operations(void **state)
{
    Fixture *f = *state;
    DeviceStream *streams[] = {new_stream(f, true), new_stream(f, true)};
    begin(f);
    for (uint32_t i = 1; i <= 399; i++)
        assert_int_equal(store(f, f->array, i, streams[i % 2]), 0);
    usleep(GLIMPSE_US);
    assert_int_equal(peek(f->array), 0);
    for (uint32_t i = 400; i <= 402; i++)
        assert_int_equal(store(f, f->array + 4, i, streams[0]), 0);
    assert_true(becomes(f->array + 4, 402));
    end(f);
}

static void five_thousand_launches_among_everything_else_end(void **state)
{
    Fixture *f = *state;
    DeviceStream *streams[] = {new_stream(f, true), new_stream(f, true)};
    DeviceEvent *event = new_event(f);
    uint64_t allocation = 0;
    begin(f);
    for (uint32_t i = 1; i <= 5000; i++) {
        DeviceStream *stream = streams[i % 2];
        assert_int_equal(store(f, f->array + 4 * (i % 2), i, stream), 0);
        if (i % 50 == 0)
            assert_int_equal(f->device->memory->alloc(f->device, 4096 * (1 + i % 7), &allocation), 0);
        if (i % 50 == 25 && allocation != 0)
            assert_int_equal(f->device->memory->release(f->device, allocation), 0);
        if (i % 17 == 0)
            assert_int_equal(f->device->events->record(f->device, event, stream), 0);
        if (i % 23 == 0)
            assert_int_equal(f->device->streams->wait_event(f->device, stream, event), 0);
        if (i % 31 == 0) {
            CudaError error = f->device->events->query(f->device, event);
            assert_true(error == 0 || error == CUDA_ERROR_NOT_READY);
        }
    }
    end(f);
    assert_int_equal(peek(f->array), 5000);
    assert_int_equal(peek(f->array + 4), 4999);
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

static void events_tell_the_time_between_them(void **state)
{
    Fixture *f = *state;
    DeviceEvent *start = new_event(f), *stop = new_event(f);
    double seconds, start_s = now_s();
    assert_int_equal(f->device->events->elapsed(f->device, start, stop, &seconds), CUDA_ERROR_INVALID_RESOURCE_HANDLE);
    assert_int_equal(f->device->events->query(f->device, start), 0);
    assert_int_equal(f->device->events->record(f->device, start, NULL), 0);
    assert_int_equal(spin(f, LONG_US, NULL), 0);
    assert_int_equal(f->device->events->record(f->device, stop, NULL), 0);
    assert_int_equal(f->device->events->query(f->device, stop), CUDA_ERROR_NOT_READY);
    assert_int_equal(f->device->events->elapsed(f->device, start, stop, &seconds), CUDA_ERROR_NOT_READY);
    assert_int_equal(f->device->events->synchronize(f->device, stop), 0);
    assert_int_equal(f->device->events->elapsed(f->device, start, stop, &seconds), 0);
    assert_true(seconds >= LONG_US * 0.999e-6 && seconds <= now_s() - start_s);
}

/* The host's clock sees more than the time between the events. */
static void assert_bracket(DeviceBracket taken, double least_s)
{
    double slack_s = 1e-6;
    if (!(taken.event_s >= least_s - slack_s && taken.host_s >= taken.event_s - slack_s))
        fail_test("events %g s, host %g s, expected at least %g s", taken.event_s, taken.host_s, least_s);
}

static void both_clocks_see_the_work_of_a_bracket(void **state)
{
    Fixture *f = *state;
    DeviceStream *streams[] = {new_stream(f, true), new_stream(f, false)};
    double start_s = now_s();
    begin(f);
    assert_int_equal(spin(f, 20000, NULL), 0);
    DeviceBracket one = end(f);
    assert_bracket(one, 0.02);
    assert_true(one.host_s <= now_s() - start_s);
    for (int longer = 0; longer < 2; longer++) {
        begin(f);
        assert_int_equal(spin(f, 30000, streams[longer]), 0);
        assert_int_equal(spin(f, 10000, streams[1 - longer]), 0);
        assert_bracket(end(f), 0.03);
    }
    begin(f);
    assert_int_equal(spin(f, 10000, streams[0]), 0);
    assert_int_equal(f->device->streams->synchronize(f->device, streams[0]), 0);
    assert_int_equal(spin(f, 10000, streams[1]), 0);
    assert_bracket(end(f), 0.02);
}

static void what_the_host_does_before_the_gate_opens_takes_no_time(void **state)
{
    Fixture *f = *state;
    begin(f);
    assert_int_equal(store(f, f->array, 7, NULL), 0);
    double start_s = now_s();
    usleep(300000);
    double idle_s = now_s() - start_s;
    DeviceBracket taken = end(f);
    assert_bracket(taken, 0);
    assert_true(taken.event_s < idle_s && taken.host_s < idle_s);
}

enum { SHORT_US = 20000, PAUSE_US = 200000 };

static void assert_busy(DeviceBracket taken, double least_s, double most_s)
{
    if (!(taken.busy_s >= least_s - 1e-6 && taken.busy_s <= most_s))
        fail_test("busy for %g s, expected %g to %g s", taken.busy_s, least_s, most_s);
}

static void pauses_of_the_host_do_not_keep_the_device_busy(void **state)
{
    Fixture *f = *state;
    DeviceStream *stream = new_stream(f, true);
    for (int look = 0; look < 2; look++) { /* the end of the work is seen by a wait, or by a look */
        begin(f);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(spin(f, SHORT_US, i == 0 ? NULL : stream), 0);
            if (look)
                f->device->hardware->start_held_work(f->device);
            else
                assert_int_equal(f->device->streams->synchronize(f->device, i == 0 ? NULL : stream), 0);
            while (!f->device->hardware->is_idle(f->device))
                usleep(1000);
            usleep(PAUSE_US);
        }
        DeviceBracket taken = end(f);
        assert_true(taken.event_s > PAUSE_US * 1e-6);
        assert_busy(taken, 2e-6 * SHORT_US, PAUSE_US * 1e-6);
    }
}

static void work_counts_as_busy_while_the_host_does_something_else(void **state)
{
    Fixture *f = *state;
    begin(f);
    assert_int_equal(spin(f, PAUSE_US, NULL), 0);
    assert_true(f->device->hardware->is_idle(f->device)); /* it is held back */
    f->device->hardware->start_held_work(f->device);
    assert_false(f->device->hardware->is_idle(f->device));
    usleep(2 * PAUSE_US);
    assert_true(f->device->hardware->is_idle(f->device));
    assert_busy(end(f), PAUSE_US * 1e-6, 60);
}

static void mapping_memory_does_not_keep_the_device_busy(void **state)
{
    Fixture *f = *state;
    uint64_t address;
    begin(f);
    empty_log(f);
    assert_int_equal(spin(f, SHORT_US, NULL), 0);
    assert_int_equal(f->device->memory->alloc(f->device, UNMAPPED_BYTES, &address), 0);
    assert_true(comes_first(f, "ran cuLaunchKernel", "cuMemCreate"));
    usleep(PAUSE_US);
    assert_int_equal(spin(f, SHORT_US, NULL), 0);
    assert_busy(end(f), 2e-6 * SHORT_US, PAUSE_US * 1e-6);
}

static void a_bracket_with_nothing_in_it_takes_no_time(void **state)
{
    Fixture *f = *state;
    begin(f);
    DeviceBracket taken = end(f);
    assert_true(taken.event_s == 0 && taken.host_s == 0 && !taken.pending);
}

static void work_under_way_at_the_end_of_a_bracket_is_noticed(void **state)
{
    Fixture *f = *state;
    begin(f);
    assert_int_equal(spin(f, LONG_US, NULL), 0);
    assert_true(end(f).pending);
    begin(f);
    assert_int_equal(spin(f, 1000, NULL), 0);
    assert_int_equal(f->device->streams->synchronize_all(f->device), 0);
    assert_false(end(f).pending);
    begin(f);
    assert_int_equal(spin(f, 1000, NULL), 0);
    assert_int_equal(f->device->streams->synchronize_all(f->device), 0);
    assert_int_equal(spin(f, LONG_US, NULL), 0);
    assert_true(end(f).pending);
}

/* ---- what a kernel may forge ------------------------------------------------------------------------------------- */

static void a_gate_that_was_opened_or_changed_is_noticed(void **state)
{
    Fixture *f = *state;
    CudaDevice *cuda = cuda_of(f->device);
    for (int forgery = 0; forgery < 3; forgery++) {
        begin(f);
        assert_int_equal(store(f, f->array, 7, NULL), 0);
        if (forgery > 0)
            cuda->shared->gate = forgery == 1 ? cuda->words.open : 1;
        assert_int_equal(end(f).gate_forged, forgery > 0);
    }
    begin(f);
    cuda->shared->gate = cuda->words.open; /* nothing ever waited for it */
    assert_true(end(f).gate_forged);
}

static void the_words_of_the_gate_never_repeat(void **state)
{
    Fixture *f = *state;
    GateWords seen[4];
    for (size_t i = 0; i < COUNT_OF(seen); i++) {
        begin(f);
        seen[i] = cuda_of(f->device)->words;
        end(f);
        for (size_t k = 0; k <= i; k++)
            assert_true(seen[k].closed != seen[i].open && (k == i || seen[k].open != seen[i].open));
    }
}

/* Writes the nonce before the device does, as a kernel could that finds it. */
static void forge_the_nonce(Fixture *f)
{
    CudaDevice *cuda = cuda_of(f->device);
    f->device->hardware->start_held_work(f->device);
    assert_true(cuda->bracket.marked);
    cuda->shared->nonce = cuda->bracket.nonce;
    cuda_observe(cuda);
    assert_true(cuda->bracket.arrived);
}

/* An echo is late by what it takes longer than the usual one, which a busy machine prolongs. */
static void a_forged_nonce_does_not_shorten_the_hosts_time(void **state)
{
    static const char *const kernels[] = {"spin", "hide"}; /* hide forges the end of its stream as well */
    Fixture *f = *state;
    const uint32_t microseconds = LONG_US;
    for (size_t i = 0; i < COUNT_OF(kernels); i++) {
        assert_non_null(f->device->modules->function(f->module, kernels[i]));
        begin(f);
        assert_int_equal(launch(f, kernels[i], &microseconds, sizeof microseconds, NULL), 0);
        forge_the_nonce(f);
        DeviceBracket taken = end(f);
        assert_false(taken.pending);
        assert_true(taken.host_s >= LONG_US * 0.999e-6 - cuda_of(f->device)->usual_echo_s && taken.host_s < WAIT_S);
    }
}

static void a_kernel_that_hides_in_a_destroyed_stream_takes_its_time(void **state)
{
    Fixture *f = *state;
    const uint32_t microseconds = LONG_US;
    assert_non_null(f->device->modules->function(f->module, "hide"));
    DeviceStream *stream = new_stream(f, true);
    begin(f);
    assert_int_equal(launch(f, "hide", &microseconds, sizeof microseconds, stream), 0);
    assert_int_equal(spin(f, 1000, NULL), 0);
    forge_the_nonce(f);
    assert_int_equal(f->device->streams->destroy(f->device, stream), 0);
    assert_true(end(f).host_s >= LONG_US * 0.999e-6 - cuda_of(f->device)->usual_echo_s);
}

static void the_gap_between_the_clocks_is_known(void **state)
{
    Fixture *f = *state;
    double gap_s = f->device->info.clock_gap_s;
    assert_true(gap_s >= 0 && gap_s < WAIT_S);
    assert_false(f->device->info.modelled);
}

static void an_empty_launch_is_timed_before_anything_is_loaded(void **state)
{
    Fixture *f = *state;
    const DeviceInfo *info = &f->device->info;
    assert_true(info->launch_s > 0 && info->launch_s < WAIT_S && info->launch_spread_s >= 0);
    assert_true(info->usual_launch_s == 0 && device_host_constant_s(info) == 0); /* nobody has measured a "Fake GPU" */
    assert_true(comes_first(f, "cuLaunchKernel empty", "cuModuleUnload"));
    assert_int_equal(lines_with(f, "ran cuLaunchKernel"), 66);
    assert_int_equal(lines_with(f, "cuModuleLoadData"), 2); /* the other one is the module of the test */
    assert_true(comes_first(f, "cuModuleUnload", "cuModuleGetGlobal") || lines_with(f, "cuModuleGetGlobal") == 0);
}

/* The host of this process takes a millisecond for a launch. */
static void a_slower_host_is_told_by_its_launches(void **state)
{
    Fixture *f = *state;
    assert_true(f->device->info.launch_s > 0.9e-3 && f->device->info.launch_s < WAIT_S);
}

static int set_up_slow_host(void **state)
{
    setenv("CONVJUDGE_FAKE_CUDA_LAUNCH_US", "1000", 1);
    int result = set_up(state);
    unsetenv("CONVJUDGE_FAKE_CUDA_LAUNCH_US");
    return result;
}

static void what_is_beyond_the_usual_launch_is_the_hosts_constant(void **state)
{
    static const struct {
        double launch_us, usual_us, constant_us;
    } rows[] = {{7.5, 6, 1.5}, {6, 7.5, 0}, {6, 6, 0}, {6.5, 6, 0}, {6.7, 6, 0.7}, {7.5, 0, 0}, {0, 6, 0}, {60, 6, 5}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const DeviceInfo info = {.launch_s = 1e-6 * rows[i].launch_us, .usual_launch_s = 1e-6 * rows[i].usual_us};
        const double error_s = device_host_constant_s(&info) - 1e-6 * rows[i].constant_us;
        assert_true(error_s < 1e-12 && error_s > -1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_A_DEVICE(nothing_runs_before_the_host_waits_and_everything_does_then),
        ON_A_DEVICE(outside_a_bracket_nothing_is_held),
        ON_A_DEVICE(a_small_allocation_keeps_the_gate_closed),
        ON_A_DEVICE(each_call_that_may_wait_opens_the_gate),
        ON_A_DEVICE(the_gate_opens_at_four_hundred_operations),
        ON_A_DEVICE(five_thousand_launches_among_everything_else_end),
        ON_A_DEVICE(events_tell_the_time_between_them),
        ON_A_DEVICE(both_clocks_see_the_work_of_a_bracket),
        ON_A_DEVICE(what_the_host_does_before_the_gate_opens_takes_no_time),
        ON_A_DEVICE(pauses_of_the_host_do_not_keep_the_device_busy),
        ON_A_DEVICE(work_counts_as_busy_while_the_host_does_something_else),
        ON_A_DEVICE(mapping_memory_does_not_keep_the_device_busy),
        ON_A_DEVICE(a_bracket_with_nothing_in_it_takes_no_time),
        ON_A_DEVICE(work_under_way_at_the_end_of_a_bracket_is_noticed),
        ON_A_DEVICE(a_gate_that_was_opened_or_changed_is_noticed),
        ON_A_DEVICE(the_words_of_the_gate_never_repeat),
        ON_A_DEVICE(a_forged_nonce_does_not_shorten_the_hosts_time),
        ON_A_DEVICE(a_kernel_that_hides_in_a_destroyed_stream_takes_its_time),
        ON_A_DEVICE(the_gap_between_the_clocks_is_known),
        ON_A_DEVICE(an_empty_launch_is_timed_before_anything_is_loaded),
        cmocka_unit_test_setup_teardown(a_slower_host_is_told_by_its_launches, set_up_slow_host, tear_down),
        cmocka_unit_test(what_is_beyond_the_usual_launch_is_the_hosts_constant),
    };
    return run_each(tests, COUNT_OF(tests));
}
