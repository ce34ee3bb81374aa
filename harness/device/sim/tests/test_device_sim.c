#include "harness/device/open/device_open.h"
#include "harness/tests/sim_fixture.h"
#include "harness/device/sim/execution_profile.h"
#include "simgpu/gpu/simgpu.h"

#include <stdlib.h>

/* store(p, v): thread i of the grid writes v + i to p[i]. spin(): never ends. take(to, from): writes numbers[0] to
 * to[0] and from[0] to to[1]. clash(p): each block writes its own number to p[0]. */
static const char PTX[] = ".version 9.0\n.target sm_90\n.address_size 64\n"
                          ".visible .const .align 4 .b8 numbers[16];\n"
                          ".visible .entry store(.param .u64 store_param_0, .param .u32 store_param_1)\n"
                          "{\n"
                          "  .reg .b32 %r<8>; .reg .b64 %rd<5>;\n"
                          "  ld.param.u64 %rd1, [store_param_0];\n"
                          "  ld.param.u32 %r1, [store_param_1];\n"
                          "  mov.u32 %r2, %ctaid.x;\n  mov.u32 %r3, %ntid.x;\n  mov.u32 %r4, %tid.x;\n"
                          "  mad.lo.s32 %r5, %r2, %r3, %r4;\n"
                          "  add.s32 %r6, %r1, %r5;\n"
                          "  cvta.to.global.u64 %rd2, %rd1;\n"
                          "  mul.wide.s32 %rd3, %r5, 4;\n"
                          "  add.s64 %rd4, %rd2, %rd3;\n"
                          "  st.global.u32 [%rd4], %r6;\n"
                          "  ret;\n"
                          "}\n"
                          ".visible .entry take(.param .u64 take_param_0, .param .u64 take_param_1)\n"
                          "{\n"
                          "  .reg .b32 %r<3>; .reg .b64 %rd<3>;\n"
                          "  ld.param.u64 %rd1, [take_param_0];\n"
                          "  ld.param.u64 %rd2, [take_param_1];\n"
                          "  ld.const.u32 %r1, [numbers];\n"
                          "  ld.global.u32 %r2, [%rd2];\n"
                          "  st.global.u32 [%rd1], %r1;\n"
                          "  st.global.u32 [%rd1+4], %r2;\n"
                          "  ret;\n"
                          "}\n"
                          ".visible .entry clash(.param .u64 clash_param_0)\n"
                          "{\n"
                          "  .reg .b32 %r<2>; .reg .b64 %rd<2>;\n"
                          "  ld.param.u64 %rd1, [clash_param_0];\n"
                          "  mov.u32 %r1, %ctaid.x;\n"
                          "  st.global.u32 [%rd1], %r1;\n"
                          "  ret;\n"
                          "}\n"
                          ".visible .entry spin()\n"
                          "{\n"
                          "$loop:\n"
                          "  bra.uni $loop;\n"
                          "}\n";

static int set_up(void **state)
{
    return open_sim(state, PTX);
}

static CudaError store(Fixture *f, uint64_t to, uint32_t value, uint32_t blocks, DeviceStream *stream)
{
    struct {
        uint64_t to;
        uint32_t value;
    } parameters = {to, value};
    DeviceLaunch launch = {.function = f->device->modules->function(f->module, "store"),
                           .shape.grid = {blocks, 1, 1},
                           .shape.block = {64, 1, 1},
                           .parameters = &parameters,
                           .parameter_bytes = 12,
                           .stream = stream};
    assert_non_null(launch.function);
    return f->device->kernels->launch(f->device, &launch);
}

static double bracket(Fixture *f)
{
    DeviceBracket taken;
    assert_int_equal(f->device->timing->end(f->device, &taken), 0);
    assert_true(taken.host_s == 0);
    return taken.event_s;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void bytes_come_back_as_they_were_written(void **state)
{
    Fixture *f = *state;
    char back[8] = "";
    assert_int_equal(f->device->copies->write(f->device, f->array + 100, "seven b", 8, NULL), 0);
    assert_int_equal(f->device->copies->copy(f->device, f->array, f->array + 100, 8, NULL), 0);
    assert_int_equal(f->device->copies->fill(f->device, f->array + 5, 'x', 2, NULL), 0);
    assert_int_equal(f->device->copies->read(f->device, back, f->array, 8, NULL), 0);
    assert_string_equal(back, "sevenxx");
}

static void copies_outside_an_allocation_are_refused(void **state)
{
    Fixture *f = *state;
    char byte;
    const uint64_t outside[] = {0, f->array - 1, f->array + ARRAY_BYTES, UINT64_MAX, DEVICE_BASE + DEVICE_SPAN};
    for (size_t i = 0; i < COUNT_OF(outside); i++) {
        assert_int_equal(f->device->copies->read(f->device, &byte, outside[i], 1, NULL), CUDA_ERROR_INVALID_VALUE);
        assert_int_equal(f->device->copies->write(f->device, outside[i], &byte, 1, NULL), CUDA_ERROR_INVALID_VALUE);
        assert_int_equal(f->device->copies->copy(f->device, f->array, outside[i], 1, NULL), CUDA_ERROR_INVALID_VALUE);
        assert_int_equal(f->device->copies->fill(f->device, outside[i], 0, 1, NULL), CUDA_ERROR_INVALID_VALUE);
    }
    assert_int_equal(f->device->copies->fill(f->device, f->array, 0, ARRAY_BYTES + 1, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(f->device->copies->fill(f->device, f->array, 0, UINT64_MAX, NULL), CUDA_ERROR_INVALID_VALUE);
}

static void the_memory_limit_holds(void **state)
{
    Fixture *f = *state;
    uint64_t first, second;
    uint64_t used = f->device->memory->allocated_bytes(f->device);
    f->device->memory->set_limit(f->device, used + 4096);
    assert_int_equal(f->device->memory->alloc(f->device, 4096, &first), 0);
    assert_int_equal(f->device->memory->alloc(f->device, 4096, &second), CUDA_ERROR_MEMORY_ALLOCATION);
    assert_int_equal(f->device->memory->release(f->device, first), 0);
    assert_int_equal(f->device->memory->release(f->device, first), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(f->device->memory->alloc(f->device, 4096, &second), 0);
}

static void symbols_are_plain_addresses(void **state)
{
    Fixture *f = *state;
    uint64_t address, bytes;
    assert_true(f->device->modules->variable(f->module, "numbers", &address, &bytes));
    assert_int_equal(bytes, 16);
    assert_int_equal(f->device->copies->write(f->device, address, "0123456789abcdef", 16, NULL), 0);
    assert_int_equal(f->device->copies->write(f->device, address, "0123456789abcdef", 17, NULL),
                     CUDA_ERROR_INVALID_VALUE);
    assert_false(f->device->modules->variable(f->module, "letters", &address, &bytes));
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static void a_kernel_runs_and_is_counted(void **state)
{
    Fixture *f = *state;
    uint32_t back[128];
    DeviceStatistics statistics;
    assert_int_equal(f->device->memory->kernel_wrote(f->device, f->array), 0);
    assert_int_equal(f->device->timing->begin(f->device), 0);
    f->device->report->reset(f->device);
    assert_int_equal(store(f, f->array, 7, 2, NULL), 0);
    assert_true(bracket(f) > 0);
    assert_int_equal(f->device->copies->read(f->device, back, f->array, sizeof back, NULL), 0);
    for (uint32_t i = 0; i < 128; i++)
        assert_int_equal(back[i], 7 + i);
    f->device->report->statistics(f->device, &statistics);
    assert_int_equal(statistics.kernels, 1);
    assert_int_equal(statistics.copies, 1);
    assert_true(statistics.has_counters);
    assert_int_equal(statistics.global_store_requests, 4);
    assert_int_equal(statistics.global_store_sectors, 16);
    assert_string_equal(statistics.longest, "store");
    assert_int_equal(f->device->memory->kernel_wrote(f->device, f->array), 1);
}

static void a_refused_launch_leaves_the_device_usable(void **state)
{
    Fixture *f = *state;
    DeviceFault fault;
    assert_int_equal(store(f, f->array, 7, 0, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(store(f, f->array, 7, 1, NULL), 0);
    f->device->report->fault(f->device, &fault);
    assert_int_equal(fault.kind, DEVICE_NO_FAULT);
}

static void a_fault_is_met_by_the_next_operation_and_all_after_it(void **state)
{
    Fixture *f = *state;
    DeviceFault fault;
    uint64_t address;
    assert_int_equal(store(f, f->array + ARRAY_BYTES - 4, 7, 1, NULL), 0);
    assert_int_equal(f->device->streams->synchronize_all(f->device), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(f->device->memory->alloc(f->device, 4, &address), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(store(f, f->array, 7, 1, NULL), CUDA_ERROR_ILLEGAL_ADDRESS);
    f->device->report->fault(f->device, &fault);
    assert_int_equal(fault.kind, DEVICE_FAULT);
    assert_non_null(strstr(fault.text, "store"));
}

static void an_endless_kernel_ends_with_its_budget(void **state)
{
    Fixture *f = *state;
    DeviceFault fault;
    DeviceLaunch launch = {.function = f->device->modules->function(f->module, "spin"),
                           .shape.grid = {1, 1, 1},
                           .shape.block = {32, 1, 1}};
    f->device->simulation->set_budget(f->device, 10000);
    assert_int_equal(f->device->kernels->launch(f->device, &launch), 0);
    assert_int_equal(f->device->streams->synchronize_all(f->device), CUDA_ERROR_LAUNCH_TIMEOUT);
    f->device->report->fault(f->device, &fault);
    assert_int_equal(fault.kind, DEVICE_TIME_LIMIT);
}

static void one_budget_is_for_all_kernels_of_a_call(void **state)
{
    Fixture *f = *state;
    DeviceStatistics one;
    assert_int_equal(store(f, f->array, 7, 2, NULL), 0);
    f->device->report->statistics(f->device, &one);
    f->device->simulation->set_budget(f->device, one.warp_instructions * 5 / 2);
    assert_int_equal(store(f, f->array, 7, 2, NULL), 0);
    assert_int_equal(store(f, f->array, 7, 2, NULL), 0);
    assert_int_equal(f->device->streams->synchronize_all(f->device), 0);
    assert_int_equal(store(f, f->array, 7, 2, NULL), 0);
    assert_int_equal(f->device->streams->synchronize_all(f->device), CUDA_ERROR_LAUNCH_TIMEOUT);
}

/* ---- probes ------------------------------------------------------------------------------------------------------ */

static void take(Fixture *f, uint64_t to, uint64_t from, uint32_t taken[2])
{
    const uint64_t parameters[] = {to, from};
    DeviceLaunch launch = {.function = f->device->modules->function(f->module, "take"),
                           .shape.grid = {1, 1, 1},
                           .shape.block = {1, 1, 1},
                           .parameters = parameters,
                           .parameter_bytes = sizeof parameters};
    assert_int_equal(f->device->kernels->launch(f->device, &launch), 0);
    assert_int_equal(f->device->copies->read(f->device, taken, to, 2 * sizeof *taken, NULL), 0);
}

static void a_probe_exchanges_constants_while_a_kernel_runs(void **state)
{
    Fixture *f = *state;
    const uint32_t words[] = {5, 7, 11}, others[] = {105, 107, 111}, numbers[] = {7, 8, 5, 107};
    uint32_t taken[2], kept[4];
    uint64_t address, bytes;
    DeviceProbe probe = {.words = words, .others = others, .count = 3, .source = f->array, .target = f->array};
    assert_true(f->device->modules->variable(f->module, "numbers", &address, &bytes));
    assert_int_equal(f->device->copies->write(f->device, address, numbers, sizeof numbers, NULL), 0);
    assert_int_equal(f->device->copies->write(f->device, f->array + 512, numbers, sizeof numbers, NULL), 0);
    f->device->simulation->set_probe(f->device, &probe);
    take(f, f->array, f->array + 512, taken);
    assert_int_equal(taken[0], 107);
    assert_int_equal(taken[1], 7);
    assert_int_equal(f->device->copies->read(f->device, kept, address, 12, NULL), 0);
    assert_memory_equal(kept, numbers, 12);
    f->device->simulation->set_probe(f->device, NULL);
    take(f, f->array, f->array + 512, taken);
    assert_int_equal(taken[0], 7);
}

static void a_probe_names_a_kernel_that_takes_the_direct_way(void **state)
{
    Fixture *f = *state;
    uint32_t taken[2];
    uint64_t source, target;
    assert_int_equal(f->device->memory->alloc(f->device, 8, &source), 0);
    assert_int_equal(f->device->memory->alloc(f->device, 8, &target), 0);
    DeviceProbe probe = {.source = source, .target = target};
    f->device->simulation->set_probe(f->device, &probe);
    take(f, f->array, source, taken); /* writes something else */
    take(f, target, f->array, taken); /* reads something else */
    assert_string_equal(probe.direct_load, "");
    take(f, target, source, taken);
    assert_string_equal(probe.direct_load, "kernel take");
    f->device->simulation->set_probe(f->device, NULL);
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

static CudaError take_from(Fixture *f, uint64_t to, uint64_t from)
{
    const uint64_t parameters[] = {to, from};
    DeviceLaunch launch = {.function = f->device->modules->function(f->module, "take"),
                           .shape.grid = {1, 1, 1},
                           .shape.block = {1, 1, 1},
                           .parameters = parameters,
                           .parameter_bytes = sizeof parameters};
    return f->device->kernels->launch(f->device, &launch);
}

static DeviceCheck check_of(Fixture *f, uint64_t *array, bool sanitize)
{
    assert_int_equal(f->device->memory->alloc(f->device, 40, array), 0);
    return (DeviceCheck){.arrays = {{"output", *array, 40, 4, true}}, .array_count = 1, .sanitize = sanitize};
}

static void a_check_tells_who_reads_what_nothing_has_written(void **state)
{
    Fixture *f = *state;
    uint64_t array;
    DeviceCheck check = check_of(f, &array, true);
    assert_int_equal(f->device->copies->fill(f->device, array, 0, 40, NULL), 0);
    f->device->simulation->set_check(f->device, &check);
    assert_int_equal(take_from(f, f->array, array + 8), 0);
    assert_int_equal(check.findings.count, 1);
    assert_true(check.findings.items[0].is_unwritten);
    assert_non_null(strstr(check.findings.items[0].text, "reads 4 bytes at output[2], which nothing has written"));
    assert_int_equal(f->device->copies->write(f->device, array + 8, "abcd", 4, NULL), 0);
    assert_int_equal(take_from(f, f->array, array + 8), 0);
    assert_int_equal(take_from(f, array + 16, array + 8), 0); /* writes output[4] and output[5] */
    assert_int_equal(take_from(f, f->array, array + 20), 0);
    assert_int_equal(check.findings.count, 1);
    f->device->simulation->set_check(f->device, NULL);
    assert_int_equal(take_from(f, f->array, array), 0);
    assert_int_equal(check.findings.count, 1);
}

static uint8_t first_byte_of_new_memory(Fixture *f)
{
    uint64_t address;
    assert_int_equal(f->device->memory->alloc(f->device, 40, &address), 0);
    uint8_t byte = *(const uint8_t *)address;
    assert_int_equal(f->device->memory->release(f->device, address), 0);
    return byte;
}

static void a_check_says_what_fresh_memory_holds(void **state)
{
    Fixture *f = *state;
    DeviceCheck asked = {.uninitialised_byte = 0x4D}, usual = {0};
    f->device->simulation->set_check(f->device, &asked);
    assert_int_equal(first_byte_of_new_memory(f), 0x4D);
    f->device->simulation->set_check(f->device, &usual);
    assert_int_equal(first_byte_of_new_memory(f), SIM_UNINITIALISED_BYTE);
    f->device->simulation->set_check(f->device, NULL);
}

static void a_check_names_arrays_even_without_the_sanitizer(void **state)
{
    Fixture *f = *state;
    uint64_t array;
    DeviceFault fault;
    DeviceCheck check = check_of(f, &array, false);
    f->device->simulation->set_check(f->device, &check);
    assert_int_equal(take_from(f, f->array, array), 0);
    assert_int_equal(check.findings.count, 0);
    assert_int_equal(take_from(f, f->array, array + 40), 0);
    f->device->report->fault(f->device, &fault);
    assert_int_equal(fault.kind, DEVICE_FAULT);
    assert_non_null(strstr(fault.text, "reads 4 bytes at 4 bytes past output[9]"));
}

static CudaError clash(Fixture *f, uint32_t blocks)
{
    const uint64_t parameters[] = {f->array};
    DeviceLaunch launch = {.function = f->device->modules->function(f->module, "clash"),
                           .shape.grid = {blocks, 1, 1},
                           .shape.block = {64, 1, 1},
                           .parameters = parameters,
                           .parameter_bytes = sizeof parameters};
    return f->device->kernels->launch(f->device, &launch);
}

static void a_race_is_a_fault_where_it_is_looked_for(void **state)
{
    Fixture *f = *state;
    DeviceCheck check = {.sanitize = true};
    DeviceFault fault;
    assert_int_equal(clash(f, 2), 0);
    f->device->simulation->set_check(f->device, &check);
    assert_int_equal(clash(f, 1), 0);
    assert_int_equal(clash(f, 1 << 16), 0); /* the launch is too large for the sanitizer */
    assert_int_equal(f->device->streams->synchronize_all(f->device), 0);
    assert_int_equal(clash(f, 2), 0);
    assert_int_equal(f->device->streams->synchronize_all(f->device), CUDA_ERROR_LAUNCH_FAILURE);
    f->device->report->fault(f->device, &fault);
    assert_int_equal(fault.kind, DEVICE_FAULT);
    assert_non_null(strstr(fault.text, "where block (0,0,0) writes another value"));
    assert_int_equal(check.findings.count, 0);
}

/* ---- modelled time ----------------------------------------------------------------------------------------------- */

/* What the bracket shows for some operations on streams, in units of one kernel (K) and one copy across the bus (C).
 * What is paid once for the bracket, and while the host comes back from waiting, is the device's own. */
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

static void copies_overlap_kernels_of_other_streams_and_kernels_do_not_overlap(void **state)
{
    Fixture *f = *state;
    DeviceStream *a, *b;
    measure_units(f);
    assert_int_equal(f->device->streams->create(f->device, false, &a), 0);
    assert_int_equal(f->device->streams->create(f->device, false, &b), 0);
    assert_int_equal(f->device->timing->begin(f->device), 0);
    upload(f, a);
    store(f, f->array, 1, 100, b);
    assert_seconds(bracket_work(f), c_s > k_s ? c_s : k_s);
    assert_int_equal(f->device->timing->begin(f->device), 0);
    store(f, f->array, 1, 100, a);
    store(f, f->array, 1, 100, b);
    assert_seconds(bracket_work(f), 2 * k_s);
}

static void the_default_stream_waits_for_blocking_streams_only(void **state)
{
    Fixture *f = *state;
    DeviceStream *blocking, *free_running;
    measure_units(f);
    assert_int_equal(f->device->streams->create(f->device, false, &blocking), 0);
    assert_int_equal(f->device->streams->create(f->device, true, &free_running), 0);
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
    f->device->streams->create(f->device, true, &a);
    f->device->streams->create(f->device, true, &b);
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

/* Where nobody asks for the time, sectors are not counted either. */
static uint64_t sectors_of_store(Fixture *f)
{
    DeviceStatistics statistics;
    f->device->report->reset(f->device);
    assert_int_equal(store(f, f->array, 1, 100, NULL), 0);
    f->device->report->statistics(f->device, &statistics);
    assert_true(statistics.warp_instructions > 0);
    return statistics.global_store_sectors;
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
    f->device->streams->create(f->device, true, &a);
    f->device->streams->create(f->device, true, &b);
    assert_int_equal(f->device->timing->begin(f->device), 0);
    store(f, f->array, 1, 100, a);
    assert_int_equal(f->device->streams->synchronize(f->device, a), 0);
    upload(f, b);
    assert_seconds(bracket_work(f), k_s + wait_s + c_s);
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

static void nothing_done_takes_no_time(void **state)
{
    Fixture *f = *state;
    assert_int_equal(f->device->timing->begin(f->device), 0);
    assert_true(bracket(f) == 0);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static void device_names_are_resolved_or_refused(void **state)
{
    static const struct {
        const char *name;
        Status status;
        const char *resolved; /* or a part of the message */
    } cases[] = {
        {"sim", STATUS_OK, "sim:h200"},
        {"sim:h200", STATUS_OK, "sim:h200"},
        {"sim:t4", STATUS_OK, "sim:t4"},
        {"sim:zx81", STATUS_NOT_FOUND, "unknown profile of a simulated GPU; known profiles: a100, h200, rtx3060, t4"},
        {"sim:../profiles/h200", STATUS_NOT_FOUND, "unknown profile"},
        {"sim:h20", STATUS_NOT_FOUND, "did you mean 'h200'? known profiles: a100"},
        {"sim:", STATUS_BAD_INPUT, "expected auto, cuda"},
        {"cuda:0", STATUS_NOT_FOUND, "DEVICE=sim selects"},
        {"simulated", STATUS_BAD_INPUT, "expected auto, cuda"},
        {"smi:h200", STATUS_BAD_INPUT, "unknown device 'smi:h200'; did you mean 'sim'? expected auto, cuda"},
        {"cup", STATUS_BAD_INPUT, "did you mean 'cpu'?"},
        {"cpu", STATUS_BAD_INPUT, "runs only files in plain C"},
        {"", STATUS_BAD_INPUT, "expected auto, cuda"},
        {"auto:0", STATUS_BAD_INPUT, "expected auto, cuda"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        DeviceInfo info = {.handle = ""};
        Message why = {""};
        Status status = device_describe(cases[i].name, &info, &why);
        if (status != cases[i].status ||
            strstr(status == STATUS_OK ? info.handle : why.text, cases[i].resolved) == NULL)
            fail_test("'%s': status %d, '%s', %s", cases[i].name, status, info.handle, why.text);
    }
}

#define ON_A_DEVICE(test) cmocka_unit_test_setup_teardown(test, set_up, close_sim)

static void an_engine_that_does_not_exist_is_refused(void **state)
{
    Device *device = NULL;
    Message why = {0};
    setenv("CONVJUDGE_ENGINE", "steam", 1);
    Status status = device_open("sim", &device, &why);
    unsetenv("CONVJUDGE_ENGINE");
    assert_int_equal(status, STATUS_BAD_INPUT);
    assert_string_equal(why.text, "CONVJUDGE_ENGINE=steam: expected 'interpreter', 'translator' or 'compare'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_A_DEVICE(bytes_come_back_as_they_were_written),
        ON_A_DEVICE(copies_outside_an_allocation_are_refused),
        ON_A_DEVICE(the_memory_limit_holds),
        ON_A_DEVICE(symbols_are_plain_addresses),
        ON_A_DEVICE(a_kernel_runs_and_is_counted),
        ON_A_DEVICE(a_refused_launch_leaves_the_device_usable),
        ON_A_DEVICE(a_fault_is_met_by_the_next_operation_and_all_after_it),
        ON_A_DEVICE(an_endless_kernel_ends_with_its_budget),
        ON_A_DEVICE(one_budget_is_for_all_kernels_of_a_call),
        ON_A_DEVICE(a_probe_exchanges_constants_while_a_kernel_runs),
        ON_A_DEVICE(a_probe_names_a_kernel_that_takes_the_direct_way),
        ON_A_DEVICE(a_check_tells_who_reads_what_nothing_has_written),
        ON_A_DEVICE(a_check_says_what_fresh_memory_holds),
        ON_A_DEVICE(a_check_names_arrays_even_without_the_sanitizer),
        ON_A_DEVICE(a_race_is_a_fault_where_it_is_looked_for),
        ON_A_DEVICE(operations_of_one_stream_follow_each_other),
        ON_A_DEVICE(copies_overlap_kernels_of_other_streams_and_kernels_do_not_overlap),
        ON_A_DEVICE(the_default_stream_waits_for_blocking_streams_only),
        ON_A_DEVICE(an_event_holds_up_another_stream_and_tells_the_time),
        ON_A_DEVICE(what_ran_before_does_not_show_in_the_time),
        ON_A_DEVICE(an_untimed_check_holds_until_an_event_is_timed),
        ON_A_DEVICE(waiting_on_the_host_orders_streams),
        ON_A_DEVICE(a_poll_sees_work_under_way_and_then_its_end),
        ON_A_DEVICE(nothing_done_takes_no_time),
        cmocka_unit_test(device_names_are_resolved_or_refused),
        cmocka_unit_test(an_engine_that_does_not_exist_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
