#include "harness/device/execution_profile.h"
#include "harness/device/tests/sim_kernels.h"
#include "simgpu/simgpu.h"

#include <stdlib.h>

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

/* ---- who made the contents --------------------------------------------------------------------------------------- */

static ContentOrigin origin_of(Fixture *f, uint64_t address, uint64_t bytes)
{
    ContentOrigin origin;
    assert_int_equal(f->device->memory->origin(f->device, address, bytes, 4, &origin), 0);
    return origin;
}

/* The kernel stores 128 words; every copy takes along whose they are, and a store over it counts. */
static void every_byte_has_an_origin(void **state)
{
    Fixture *f = *state;
    const DeviceCopyOps *copies = f->device->copies;
    uint64_t other;
    f->device->report->reset(f->device);
    assert_int_equal(f->device->memory->alloc(f->device, ARRAY_BYTES, &other), 0);
    assert_int_equal(store(f, f->array, 7, 1, NULL), 0);
    assert_int_equal(origin_of(f, f->array, 256), ORIGIN_KERNELS);
    assert_int_equal(copies->copy(f->device, other, f->array, 256, NULL), 0);
    assert_int_equal(origin_of(f, other, 256), ORIGIN_KERNELS);
    assert_int_equal(copies->write(f->device, other + 100, "host", 4, NULL), 0);
    assert_int_equal(origin_of(f, other, 256), ORIGIN_HOST);
    assert_int_equal(origin_of(f, other, 100), ORIGIN_KERNELS);
    assert_int_equal(origin_of(f, other + 104, 100), ORIGIN_KERNELS);
    assert_int_equal(copies->copy(f->device, f->array + 8, other + 100, 4, NULL), 0);
    assert_int_equal(origin_of(f, f->array + 8, 4), ORIGIN_HOST);
    assert_int_equal(copies->fill(f->device, f->array + 8, 0, 4, NULL), 0);
    assert_int_equal(origin_of(f, f->array, 256), ORIGIN_KERNELS);
    assert_int_equal(copies->fill(f->device, f->array + 8, 9, 1, NULL), 0);
    assert_int_equal(origin_of(f, f->array, 256), ORIGIN_HOST);
    assert_int_equal(store(f, f->array, 7, 1, NULL), 0);
    assert_int_equal(origin_of(f, f->array, 256), ORIGIN_KERNELS);
    assert_int_equal(copies->write(f->device, f->array, (const void *)(uintptr_t)f->array, 256, NULL), 0);
    assert_int_equal(origin_of(f, f->array, 256), ORIGIN_KERNELS); /* nothing has changed */
    assert_int_equal(f->device->memory->release(f->device, other), 0);
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static void a_kernel_runs_and_is_counted(void **state)
{
    Fixture *f = *state;
    uint32_t back[128];
    DeviceStatistics statistics;
    assert_int_equal(origin_of(f, f->array, 4), ORIGIN_NO_KERNEL);
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
    assert_int_equal(statistics.counters.global_store_requests, 4);
    assert_int_equal(statistics.counters.global_store_sectors, 16);
    assert_string_equal(statistics.longest, "store");
    assert_int_equal(origin_of(f, f->array, 4), ORIGIN_KERNELS);
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
    f->device->simulation->set_budget(f->device, 10000, 0);
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
    f->device->simulation->set_budget(f->device, one.counters.warp_instructions * 5 / 2, 0);
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
    return (DeviceCheck){
        .arrays = {{"output", *array, 40, 4, true}}, .array_count = 1, .sanitize = sanitize, .is_untimed = sanitize};
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
    assert_non_null(strstr(fault.text, "reads 4 bytes at output[10], past its last element output[9]"));
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
    DeviceCheck check = {.sanitize = true, .is_untimed = true};
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
        ON_A_DEVICE(every_byte_has_an_origin),
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
        cmocka_unit_test(device_names_are_resolved_or_refused),
        cmocka_unit_test(an_engine_that_does_not_exist_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
