#include "simgpu/tests/one_gpu.h"

#include "simgpu/cost/cost.h"
#include "simgpu/gpu.h"

#include <math.h>

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"

static SimReport run(SimFunction *function, SimLaunch launch, const void *parameters)
{
    SimReport report = {0};
    launch.function = function;
    launch.parameters = parameters;
    simgpu_launch(gpu, &launch, &report);
    return report;
}

/* ---- parameters and indices -------------------------------------------------------------------------------------- */

typedef struct AllParameters {
    uint64_t out;
    float a;
    uint8_t b;
    uint16_t c;
    double d;
    int32_t e;
    struct {
        uint64_t first;
        uint32_t second, third;
    } pair;
} AllParameters;

static void parameters_arrive_whatever_their_type(void **state)
{
    SimModule *module;
    SimFunction *function = machine_read(gpu, "launch.ptx", "all_parameters", &module);
    uint64_t out = machine_array(gpu, NULL, 8);
    AllParameters parameters = {out, 0.5f, 200, 60000, 0.25, -7, {1, 1000, 5}};
    SimReport report = run(function, (SimLaunch){.shape.grid = {1, 1, 1}, .shape.block = {1, 1, 1}}, &parameters);
    if (report.outcome != SIM_OK)
        fail_test("%s", report.fault.text);
    assert_true(*(double *)at(out) == 0.5 + 200 + 60000 + 0.25 - 7 + 1000);
    simgpu_release(gpu, out);
    simgpu_module_unload(gpu, module);
}

static void the_layout_of_parameters_is_told(void **state)
{
    static const uint32_t offsets[] = {0, 8, 12, 14, 16, 24, 32}, sizes[] = {8, 4, 1, 2, 8, 4, 16};
    SimModule *module;
    SimFunctionInfo info;
    simgpu_function_info(machine_read(gpu, "launch.ptx", "all_parameters", &module), &info);
    assert_int_equal(info.parameter_count, 7);
    assert_int_equal(info.parameter_bytes, 48);
    assert_memory_equal(info.parameter_offsets, offsets, sizeof offsets);
    assert_memory_equal(info.parameter_sizes, sizes, sizeof sizes);
    simgpu_module_unload(gpu, module);
}

static void blocks_and_threads_are_numbered_in_three_dimensions(void **state)
{
    enum { GX = 3, GY = 2, GZ = 4, BX = 5, BY = 3, BZ = 7, COUNT = GX * GY * GZ * BX * BY * BZ };
    SimModule *module;
    SimFunction *function = machine_read(gpu, "launch.ptx", "all_indices", &module);
    uint64_t out = machine_array(gpu, NULL, COUNT * 4);
    SimReport report = run(function, (SimLaunch){.shape.grid = {GX, GY, GZ}, .shape.block = {BX, BY, BZ}}, &out);
    assert_int_equal(report.outcome, SIM_OK);
    const uint32_t *got = at(out);
    for (unsigned i = 0; i < COUNT; i++) {
        unsigned thread = i % (BX * BY * BZ), block = i / (BX * BY * BZ);
        unsigned expected = block / (GX * GY) << 20 | block / GX % GY << 16 | block % GX << 12 |
                            thread / (BX * BY) << 8 | thread / BX % BY << 4 | thread % BX;
        assert_int_equal(got[i], expected);
    }
    assert_int_equal(report.counters.lane_instructions % COUNT, 0);
    simgpu_release(gpu, out);
    simgpu_module_unload(gpu, module);
}

/* A million blocks of one thread happen in student code. */
static void a_million_blocks_run(void **state)
{
    SimModule *module;
    SimFunction *function = machine_read(gpu, "launch.ptx", "nothing", &module);
    SimReport report = run(function, (SimLaunch){.shape.grid = {1000, 100, 10}, .shape.block = {1, 1, 1}}, "");
    assert_int_equal(report.outcome, SIM_OK);
    assert_int_equal(report.counters.warp_instructions, 1000000);
    assert_int_equal(report.counters.lane_instructions, 1000000);
    simgpu_module_unload(gpu, module);
}

static void a_launch_that_is_cancelled_says_so(void **state)
{
    SimModule *module;
    SimFunction *function = machine_read(gpu, "launch.ptx", "nothing", &module);
    simgpu_cancel(gpu);
    SimReport report = run(function, (SimLaunch){.shape.grid = {1000, 1, 1}, .shape.block = {1, 1, 1}}, "");
    assert_int_equal(report.outcome, SIM_CANCELLED);
    assert_string_equal(report.fault.text, "kernel nothing: was cancelled");
    report = run(function, (SimLaunch){.shape.grid = {1000, 1, 1}, .shape.block = {1, 1, 1}}, "");
    assert_int_equal(report.outcome, SIM_OK);
    simgpu_module_unload(gpu, module);
}

static void a_cooperative_launch_needs_memory_for_its_barrier(void **state)
{
    const SimLaunch launch = {.shape.grid = {2, 1, 1}, .shape.block = {1, 1, 1}, .flags = SIM_COOPERATIVE};
    SimModule *module;
    SimFunction *function = machine_read(gpu, "launch.ptx", "nothing", &module);
    simgpu_set_memory_limit(gpu, simgpu_allocated_bytes(gpu));
    SimReport report = run(function, launch, "");
    assert_int_equal(report.outcome, SIM_BAD_LAUNCH);
    assert_string_equal(report.fault.text, "no device memory is left for the workspace of a cooperative launch");
    simgpu_set_memory_limit(gpu, simgpu_profile(gpu)->memory_bytes);
    assert_int_equal(run(function, launch, "").outcome, SIM_OK);
    simgpu_module_unload(gpu, module);
}

/* ---- launches that are refused ----------------------------------------------------------------------------------- */

static const struct {
    SimLaunch launch;
    SimOutcome outcome;
} launches[] = {
    {{.shape.grid = {1, 1, 1}, .shape.block = {1024, 1, 1}, .shape.dynamic_shared_bytes = 64}, SIM_OK},
    {{.shape.grid = {1, 1, 1}, .shape.block = {1, 1, 64}, .shape.dynamic_shared_bytes = 64}, SIM_OK},
    {{.shape.grid = {1, 1, 1}, .shape.block = {2048, 1, 1}, .shape.dynamic_shared_bytes = 64}, SIM_BAD_LAUNCH},
    {{.shape.grid = {1, 1, 1}, .shape.block = {32, 32, 2}, .shape.dynamic_shared_bytes = 64}, SIM_BAD_LAUNCH},
    {{.shape.grid = {1, 1, 1}, .shape.block = {1, 1, 65}, .shape.dynamic_shared_bytes = 64}, SIM_BAD_LAUNCH},
    {{.shape.grid = {1, 1, 1}, .shape.block = {0, 1, 1}, .shape.dynamic_shared_bytes = 64}, SIM_BAD_LAUNCH},
    {{.shape.grid = {0, 1, 1}, .shape.block = {1, 1, 1}, .shape.dynamic_shared_bytes = 64}, SIM_BAD_LAUNCH},
    {{.shape.grid = {1, 65536, 1}, .shape.block = {1, 1, 1}, .shape.dynamic_shared_bytes = 64}, SIM_BAD_LAUNCH},
    {{.shape.grid = {1, 1, 65536}, .shape.block = {1, 1, 1}, .shape.dynamic_shared_bytes = 64}, SIM_BAD_LAUNCH},
    {{.shape.grid = {0x80000000, 1, 1}, .shape.block = {1, 1, 1}, .shape.dynamic_shared_bytes = 64}, SIM_BAD_LAUNCH},
    {{.shape.grid = {1, 1, 1}, .shape.block = {0x80000000, 2, 1}, .shape.dynamic_shared_bytes = 64}, SIM_BAD_LAUNCH},
    {{.shape.grid = {1, 1, 1}, .shape.block = {1, 1, 1}, .shape.dynamic_shared_bytes = 48 * 1024 - 1000}, SIM_OK},
    {{.shape.grid = {1, 1, 1}, .shape.block = {1, 1, 1}, .shape.dynamic_shared_bytes = 48 * 1024}, SIM_BAD_LAUNCH},
    {{.shape.grid = {1, 1, 1}, .shape.block = {1, 1, 1}, .shape.dynamic_shared_bytes = UINT32_MAX}, SIM_BAD_LAUNCH},
    {{.shape.grid = {1, 1, 1}, .shape.block = {1, 1, 1}, .shape.dynamic_shared_bytes = 0},
     SIM_OUT_OF_BOUNDS}, /* the kernel uses it */
};

static void launches_beyond_the_limits_are_refused(void **state)
{
    SimModule *module;
    SimFunction *function = machine_read(gpu, "launch.ptx", "with_shared", &module);
    uint64_t out = machine_array(gpu, NULL, 4);
    for (size_t i = 0; i < COUNT_OF(launches); i++) {
        SimReport report = run(function, launches[i].launch, &out);
        if (report.outcome != launches[i].outcome || (report.outcome != SIM_OK && report.fault.text[0] == '\0'))
            fail_test("row %zu: outcome %d: %s", i, report.outcome, report.fault.text);
    }
    assert_int_equal(*(uint32_t *)at(out), 1008); /* dynamic shared memory follows the fixed one, aligned to 16 */
    simgpu_release(gpu, out);
    simgpu_module_unload(gpu, module);
}

static void more_shared_memory_must_be_asked_for(void **state)
{
    SimModule *module;
    SimFunction *function = machine_read(gpu, "launch.ptx", "with_shared", &module);
    uint64_t out = machine_array(gpu, NULL, 4);
    SimLaunch launch = {
        .shape.grid = {1, 1, 1}, .shape.block = {1, 1, 1}, .shape.dynamic_shared_bytes = 227 * 1024 - 1000};
    assert_int_equal(run(function, launch, &out).outcome, SIM_BAD_LAUNCH);
    assert_false(simgpu_function_set_dynamic_shared(function, 228 * 1024));
    assert_true(simgpu_function_set_dynamic_shared(function, 227 * 1024 - 1000));
    assert_int_equal(run(function, launch, &out).outcome, SIM_OK);
    simgpu_release(gpu, out);
    simgpu_module_unload(gpu, module);
}

static void the_occupancy_is_that_of_the_model(void **state)
{
    SimModule *module;
    SimFunction *function = machine_read(gpu, "launch.ptx", "with_shared", &module);
    SimFunctionInfo info;
    simgpu_function_info(function, &info);
    assert_int_equal(info.static_shared_bytes, 1000);
    assert_int_equal(simgpu_occupancy(gpu, function, 256, 20000),
                     cost_resident_blocks(simgpu_profile(gpu), &info, 256, 20000));
    assert_int_equal(simgpu_occupancy(gpu, function, 2048, 0), 0);
    simgpu_module_unload(gpu, module);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void allocations_are_found_and_released(void **state)
{
    SimAllocation found;
    uint64_t before = simgpu_allocated_bytes(gpu), array = simgpu_alloc(gpu, 1000);
    assert_true(array >= machine_base && array + 1000 <= machine_base + machine_span);
    assert_int_equal(array % 512, 0);
    assert_true(simgpu_allocated_bytes(gpu) >= before + 1000);
    assert_true(simgpu_find(gpu, array + 999, 1, &found));
    assert_int_equal(found.address, array);
    assert_int_equal(found.bytes, 1000);
    assert_null(found.name);
    assert_false(simgpu_find(gpu, array + 999, 2, &found));
    assert_false(simgpu_find(gpu, array - 1, 1, &found));
    assert_false(simgpu_find(gpu, array, UINT64_MAX, &found));
    assert_false(simgpu_release(gpu, array + 1));
    assert_true(simgpu_release(gpu, array));
    assert_false(simgpu_release(gpu, array));
    assert_false(simgpu_release(gpu, 0));
    assert_false(simgpu_find(gpu, array, 1, &found));
    assert_int_equal(simgpu_allocated_bytes(gpu), before);
}

static void a_new_allocation_is_filled_with_a_pattern(void **state)
{
    for (int round = 0; round < 2; round++) {
        uint64_t array = simgpu_alloc(gpu, 4096);
        const unsigned char *bytes = at(array);
        for (int i = 0; i < 4096; i++)
            assert_true(bytes[i] == bytes[i % 16] && bytes[i] != 0);
        memset(at(array), 0, 4096);
        simgpu_release(gpu, array);
    }
}

static void the_memory_limit_holds(void **state)
{
    uint64_t held = simgpu_allocated_bytes(gpu);
    simgpu_set_memory_limit(gpu, held + (1 << 20));
    uint64_t half = simgpu_alloc(gpu, 1 << 19);
    assert_true(half != 0);
    assert_int_equal(simgpu_alloc(gpu, (1 << 20) + 1), 0);
    assert_int_equal(simgpu_alloc(gpu, UINT64_MAX), 0);
    assert_true(simgpu_release(gpu, half));
    simgpu_set_memory_limit(gpu, simgpu_profile(gpu)->memory_bytes);
}

static void module_variables_are_memory_with_a_name(void **state)
{
    SimModule *module;
    SimFunction *function = machine_read(gpu, "launch.ptx", "variables", &module);
    uint64_t counter, table, bytes;
    SimAllocation found;
    assert_true(simgpu_variable(module, "counter", &counter, &bytes));
    assert_int_equal(bytes, 4);
    assert_true(simgpu_variable(module, "table", &table, &bytes));
    assert_int_equal(bytes, 12);
    assert_false(simgpu_variable(module, "nothing", &table, &bytes));
    assert_int_equal(*(uint32_t *)at(counter), 5);
    ((uint32_t *)at(table))[2] = 100; /* as cudaMemcpyToSymbol does */
    assert_int_equal(run(function, (SimLaunch){.shape.grid = {1, 1, 1}, .shape.block = {1, 1, 1}}, "").outcome, SIM_OK);
    assert_int_equal(*(uint32_t *)at(counter), 105);
    assert_true(simgpu_find(gpu, counter, 4, &found));
    assert_string_equal(found.name, "counter");
    assert_false(simgpu_release(gpu, counter));
    simgpu_module_unload(gpu, module);
    assert_false(simgpu_find(gpu, counter, 4, &found));
}

static void what_a_kernel_wrote_is_known(void **state)
{
    SimModule *module;
    SimFunction *function = machine_read(gpu, "launch.ptx", "all_indices", &module);
    uint64_t written = machine_array(gpu, NULL, 4096), other = machine_array(gpu, NULL, 4096);
    SimAllocation found;
    assert_int_equal(run(function, (SimLaunch){.shape.grid = {1, 1, 1}, .shape.block = {32, 1, 1}}, &written).outcome,
                     SIM_OK);
    assert_true(simgpu_find(gpu, written, 1, &found) && found.kernel_wrote);
    assert_true(simgpu_find(gpu, other, 1, &found) && !found.kernel_wrote);
    simgpu_release(gpu, written);
    simgpu_release(gpu, other);
    simgpu_module_unload(gpu, module);
}

/* ---- output and modules ------------------------------------------------------------------------------------------ */

static void device_printf_can_be_read(void **state)
{
    SimModule *module;
    SimFunction *function = machine_read(gpu, "launch.ptx", "printing", &module);
    char text[1000];
    uint64_t lost = 0;
    SimReport report = run(function, (SimLaunch){.shape.grid = {1, 1, 1}, .shape.block = {3, 1, 1}}, "");
    if (report.outcome != SIM_OK)
        fail_test("%s", report.fault.text);
    size_t length = simgpu_take_output(gpu, text, sizeof text, &lost);
    assert_int_equal(lost, 0);
    text[length] = '\0';
    assert_string_equal(text, "0 of x: 1.500000\n1 of x: 1.500000\n2 of x: 1.500000\n");
    assert_int_equal(simgpu_take_output(gpu, text, sizeof text, &lost), 0);
    simgpu_module_unload(gpu, module);
}

static void endless_printf_is_cut(void **state)
{
    SimModule *module;
    SimFunction *function = machine_read(gpu, "launch.ptx", "printing", &module);
    static char text[100000];
    uint64_t lost = 0;
    assert_int_equal(run(function, (SimLaunch){.shape.grid = {100, 1, 1}, .shape.block = {128, 1, 1}}, "").outcome,
                     SIM_OK);
    size_t length = simgpu_take_output(gpu, text, sizeof text, &lost);
    assert_in_range(length, 60000, 65536);
    assert_true(lost + length > 12800 * strlen("0 of x: 1.500000\n"));
    simgpu_module_unload(gpu, module);
}

static void bad_modules_are_refused_with_a_line(void **state)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"", ""},
        {"rubbish", ":1:"},
        {HEAD ".visible .entry test()\n{\n    @%p0 ret;\n    ret;\n}\n", ":6:"}, /* no such register */
        {HEAD ".visible .entry test()\n{\n    bra NOWHERE;\n}\n", "NOWHERE"},
        {HEAD ".visible .entry test()\n{\n    ret;\n", ""},
        {HEAD ".global .align 4 .b8 huge[99999999999999];\n", ""},
        {"P\xED\x55\xBA\x01", ""},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        SimModule *module = NULL;
        Message why = {0};
        Status status = simgpu_module_load(gpu, rows[i].text, strlen(rows[i].text), &module, &why);
        if (status == STATUS_OK || why.text[0] == '\0' || strstr(why.text, rows[i].message) == NULL)
            fail_test("row %zu: status %d, \"%s\"", i, status, why.text);
    }
}

static void an_image_without_code_for_this_gpu_is_refused(void **state)
{
    static const char no_entries[16] = "P\xED\x55\xBA\1\0\20"; /* a fatbin's header */
    SimModule *module = NULL;
    Message why = {0};
    assert_int_equal(simgpu_module_load(gpu, no_entries, sizeof no_entries, &module, &why), STATUS_UNSUPPORTED);
    assert_non_null(strstr(why.text, "the fatbin holds no PTX"));
}

static void too_much_text_is_refused(void **state)
{
    const size_t bytes = (32 << 20) + 1;
    char *blanks = malloc(bytes);
    SimModule *module = NULL;
    Message why = {0};
    memset(blanks, ' ', bytes);
    assert_int_equal(simgpu_module_load(gpu, blanks, bytes, &module, &why), STATUS_BAD_INPUT);
    assert_string_equal(why.text, "33554433 bytes of PTX, at most 33554432 can be loaded");
    free(blanks);
}

static void copies_take_their_bandwidth(void **state)
{
    const HardwareProfile *profile = simgpu_profile(gpu);
    assert_true(simgpu_copy_seconds(gpu, 0, false) >= 0);
    double within = simgpu_copy_seconds(gpu, 1 << 30, false), across = simgpu_copy_seconds(gpu, 1 << 30, true);
    assert_true(fabs(within - 2 * (double)(1 << 30) / profile->dram_copy_bytes_per_s) < 0.05 * within);
    assert_true(fabs(across - (double)(1 << 30) / profile->bus_bytes_per_s) < 0.05 * across);
}

/* ---- watched allocations ----------------------------------------------------------------------------------------- */

/* fetch(from, to, from_elsewhere): thread i writes from[i] to to[i], and where the flag is set, reads from[i] by the
 * instruction of line 12, else the constant `tap` by that of line 14. */
static const char fetch_ptx[] = HEAD
    ".const .align 4 .b8 tap[8];\n"
    ".global .align 4 .b8 plain[4];\n"
    ".const .align 4 .f32 scale = 0f40000000;\n"
    ".file 1 \"/somewhere/fetch.cu\"\n"
    ".visible .entry fetch(.param .u64 from, .param .u64 to, .param .u32 direct)\n"
    "{\n"
    "  .reg .b32 %r<5>; .reg .b64 %rd<6>; .reg .pred %p;\n"
    "  ld.param.u64 %rd1, [from];\n  ld.param.u64 %rd2, [to];\n  ld.param.u32 %r1, [direct];\n"
    "  mov.u32 %r2, %tid.x;\n  mul.wide.u32 %rd3, %r2, 4;\n"
    "  add.s64 %rd4, %rd1, %rd3;\n  add.s64 %rd5, %rd2, %rd3;\n"
    "  setp.eq.u32 %p, %r1, 0;\n  @%p bra $constant;\n"
    "  .loc 1 12 3\n  ld.global.u32 %r3, [%rd4];\n  bra.uni $store;\n"
    "$constant:\n  .loc 1 14 3\n  ld.const.u32 %r3, [tap];\n"
    "$store:\n  .loc 1 16 3\n  st.global.u32 [%rd5], %r3;\n  ret;\n"
    "}\n";

typedef struct FetchParameters {
    uint64_t from, to;
    uint32_t direct;
} FetchParameters;

static SimReport fetch(SimModule *module, uint64_t from, uint64_t to, bool direct, uint64_t source, uint64_t target)
{
    FetchParameters parameters = {from, to, direct};
    SimLaunch launch = {
        .shape.grid = {300, 1, 1}, .shape.block = {64, 1, 1}, .watched_source = source, .watched_target = target};
    SimReport report = run(simgpu_function(module, "fetch"), launch, &parameters);
    if (report.outcome != SIM_OK)
        fail_test("%s", report.fault.text);
    return report;
}

static void a_load_from_a_watched_allocation_is_told_with_its_line(void **state)
{
    SimModule *module;
    Message why = {0};
    if (machine_load(gpu, fetch_ptx, sizeof fetch_ptx - 1, "fetch", &module, &why) == NULL)
        fail_test("%s", why.text);
    uint64_t a = machine_array(gpu, NULL, 256), b = machine_array(gpu, NULL, 256), out = machine_array(gpu, NULL, 256);
    SimReport report = fetch(module, a, out, true, a, out);
    assert_string_equal(report.watched_load, "kernel fetch (fetch.cu:12)");
    assert_true(report.watched_store);
    report = fetch(module, b, out, true, a, out);
    assert_string_equal(report.watched_load, "");
    assert_true(report.watched_store);
    report = fetch(module, a, out, false, a, b);
    assert_string_equal(report.watched_load, "");
    assert_false(report.watched_store);
    report = fetch(module, a, out, true, 0, 0);
    assert_string_equal(report.watched_load, "");
    assert_false(report.watched_store);
    simgpu_release(gpu, a);
    simgpu_release(gpu, b);
    simgpu_release(gpu, out);
    simgpu_module_unload(gpu, module);
}

static SimReport launch_fetch(SimFunction *function, const uint64_t *arrays, bool is_untimed, uint32_t flags)
{
    SimLaunch launch = {.shape.grid = {4, 1, 1}, .shape.block = {64, 1, 1}, .is_untimed = is_untimed, .flags = flags};
    SimReport report = run(function, launch, arrays);
    if (report.outcome != SIM_OK)
        fail_test("%s", report.fault.text);
    return report;
}

static void an_untimed_launch_counts_instructions_alone(void **state)
{
    SimModule *module;
    Message why = {0};
    if (machine_load(gpu, fetch_ptx, sizeof fetch_ptx - 1, "fetch", &module, &why) == NULL)
        fail_test("%s", why.text);
    SimFunction *function = simgpu_function(module, "fetch");
    uint64_t from = machine_array(gpu, NULL, 256), to = machine_array(gpu, NULL, 256);
    const uint64_t parameters[] = {from, to, 1};
    SimAllocation written;
    const SimReport untimed = launch_fetch(function, parameters, true, 0);
    assert_true(simgpu_find(gpu, to, 1, &written) && written.kernel_wrote);
    const SimReport timed = launch_fetch(function, parameters, false, 0);
    const SimReport by_line = launch_fetch(function, parameters, true, SIM_COUNT_LINES);
    SimCounters instructions = {.warp_instructions = timed.counters.warp_instructions,
                                .lane_instructions = timed.counters.lane_instructions,
                                .integer = timed.counters.integer,
                                .control = timed.counters.control};
    assert_memory_equal(&untimed.counters, &instructions, sizeof instructions);
    assert_true(untimed.modelled_s == simgpu_profile(gpu)->launch_s && timed.modelled_s > untimed.modelled_s);
    assert_true(timed.counters.global_load_sectors > 0 && timed.counters.unique_store_sectors > 0);
    assert_memory_equal(&by_line.counters, &timed.counters, sizeof timed.counters);
    assert_true(by_line.modelled_s == timed.modelled_s);
    simgpu_release(gpu, from);
    simgpu_release(gpu, to);
    simgpu_module_unload(gpu, module);
}

/* The L2's part of `array` after a launch in which lane i loads the word at i * 4, or i * 96. */
static uint64_t bytes_in_l2(const char *step, uint64_t array, uint64_t to)
{
    SimModule *module;
    Message why = {0};
    char text[sizeof fetch_ptx];
    memcpy(text, fetch_ptx, sizeof text);
    char *place = strstr(text, " %rd3, %r2, 4;");
    memcpy(place, step, strlen(step));
    if (machine_load(gpu, text, sizeof text - 1, "fetch", &module, &why) == NULL)
        fail_test("%s", why.text);
    const SimLaunch launch = {.shape.grid = {1, 1, 1}, .shape.block = {64, 1, 1}};
    const SimReport report = run(simgpu_function(module, "fetch"), launch, &(FetchParameters){array, to, 1});
    if (report.outcome != SIM_OK)
        fail_test("%s", report.fault.text);
    simgpu_module_unload(gpu, module);
    const Allocation *allocation = &gpu->memory.allocations[memory_find(&gpu->memory, array)];
    assert_true(allocation->l2_end == allocation->l2_low || allocation->l2_low == array);
    return allocation->l2_end - allocation->l2_low;
}

/* Two loads far apart must not make the next launch find all between them there. */
static void the_l2_holds_what_a_launch_has_loaded_without_gaps(void **state)
{
    uint64_t from = machine_array(gpu, NULL, 8192), to = machine_array(gpu, NULL, 8192);
    simgpu_empty_l2(gpu);
    assert_int_equal(bytes_in_l2(" %rd3,%r2, 96;", from, to), 0);
    assert_int_equal(bytes_in_l2(" %rd3, %r2, 4;", from, to), 256);
    assert_int_equal(bytes_in_l2(" %rd3, %r2, 4;", from + 4096, to), 256); /* nor two launches all between theirs */
    simgpu_empty_l2(gpu);
    assert_int_equal(bytes_in_l2(" %rd3,%r2, 96;", from, to), 0);
    simgpu_release(gpu, from);
    simgpu_release(gpu, to);
}

static void the_constant_variables_of_a_module_are_listed(void **state)
{
    SimModule *module;
    Message why = {0};
    uint64_t address, bytes, total = 0;
    assert_non_null(machine_load(gpu, fetch_ptx, sizeof fetch_ptx - 1, "fetch", &module, &why));
    for (uint32_t number = 0; number < 2; number++) {
        SimAllocation found;
        assert_true(simgpu_constant(module, number, &address, &bytes));
        assert_true(simgpu_find(gpu, address, bytes, &found));
        assert_true(strcmp(found.name, "tap") == 0 || strcmp(found.name, "scale") == 0);
        total += bytes;
    }
    assert_int_equal(total, 12);
    assert_false(simgpu_constant(module, 2, &address, &bytes));
    simgpu_module_unload(gpu, module);
}

static const char two_arrays_ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                                     ".const .align 4 .b8 rows[260];\n.const .align 4 .b8 columns[100];\n"
                                     ".visible .entry of_rows()\n{\n.reg .b64 %d<2>;\n.reg .f32 %f<4>;\n"
                                     "ld.const.f32 %f0, [rows];\nret;\n}\n"
                                     ".visible .entry of_both()\n{\n.reg .b64 %d<2>;\n.reg .f32 %f<4>;\n"
                                     "mov.u64 %d0, rows;\nld.const.f32 %f0, [%d0];\nld.const.f32 %f1, [columns+4];\n"
                                     "ret;\n}\n";

/* Two filters in one module: the kernel of the first pass does not fill the caches with the second one's. */
static void a_kernel_has_the_constants_that_it_names(void **state)
{
    SimModule *module;
    Message why = {0};
    SimFunctionInfo info;
    SimFunction *function = machine_load(gpu, two_arrays_ptx, sizeof two_arrays_ptx - 1, "of_rows", &module, &why);
    assert_non_null(function);
    simgpu_function_info(function, &info);
    assert_int_equal(info.constant_bytes, 260);
    simgpu_function_info(simgpu_function(module, "of_both"), &info);
    assert_int_equal(info.constant_bytes, 360);
    simgpu_module_unload(gpu, module);
}

/* 1024 threads read 160 KiB twice. Beside frames of 120 bytes the L1 cannot hold them. */
#define READS_TWICE                                                                                                    \
    ".reg .b64 %d<4>; .reg .b32 %r<4>; .reg .f32 %f<2>; .reg .pred %p;\n"                                              \
    "ld.param.u64 %d0, [from];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %d1, %r0, 4;\nadd.s64 %d1, %d0, %d1;\n"             \
    "mov.u32 %r1, 0;\nROUND:\nmov.u64 %d2, %d1;\nmov.u32 %r2, 0;\nREAD:\n"                                             \
    "ld.global.f32 %f0, [%d2];\nadd.s64 %d2, %d2, 4096;\n"                                                             \
    "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p, %r2, 40;\n@%p bra READ;\n"                                                  \
    "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p, %r1, 2;\n@%p bra ROUND;\nret;\n}\n"
static const char frames_ptx[] = HEAD ".visible .entry plain(.param .u64 from)\n{\n" READS_TWICE
                                      ".visible .entry framed(.param .u64 from)\n{\n"
                                      ".local .align 8 .b8 frame[120];\n" READS_TWICE;

static void frames_take_their_part_of_the_cache(void **state)
{
    enum { BYTES = 160 << 10, SECTORS = BYTES / 32 };
    SimModule *module;
    Message why = {0};
    SimFunction *plain = machine_load(gpu, frames_ptx, sizeof frames_ptx - 1, "plain", &module, &why);
    assert_non_null(plain);
    uint64_t from = machine_array(gpu, NULL, BYTES);
    const SimLaunch launch = {.shape.grid = {1, 1, 1}, .shape.block = {1024, 1, 1}};
    assert_int_equal(run(plain, launch, &from).counters.missing_load_sectors, SECTORS);
    assert_int_equal(run(simgpu_function(module, "framed"), launch, &from).counters.missing_load_sectors, 2 * SECTORS);
    simgpu_release(gpu, from);
    simgpu_module_unload(gpu, module);
}

/* 2^63 blocks, which would take memory to list and years to run. */
static void a_grid_of_more_warps_than_instructions_are_allowed_does_not_begin(void **state)
{
    SimModule *module;
    SimFunction *function = machine_read(gpu, "launch.ptx", "all_parameters", &module);
    const AllParameters parameters = {0};
    const SimReport report = run(
        function,
        (SimLaunch){.shape.grid = {INT32_MAX, 65535, 65535}, .shape.block = {1, 1, 1}, .warp_instructions = 1000000000},
        &parameters);
    assert_int_equal(report.outcome, SIM_TIME_LIMIT);
    assert_non_null(strstr(report.fault.text, "executes more than 1000000000 warp instructions"));
    simgpu_module_unload(gpu, module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grid_of_more_warps_than_instructions_are_allowed_does_not_begin),
        cmocka_unit_test(parameters_arrive_whatever_their_type),
        cmocka_unit_test(the_layout_of_parameters_is_told),
        cmocka_unit_test(blocks_and_threads_are_numbered_in_three_dimensions),
        cmocka_unit_test(a_million_blocks_run),
        cmocka_unit_test(a_launch_that_is_cancelled_says_so),
        cmocka_unit_test(a_cooperative_launch_needs_memory_for_its_barrier),
        cmocka_unit_test(launches_beyond_the_limits_are_refused),
        cmocka_unit_test(more_shared_memory_must_be_asked_for),
        cmocka_unit_test(the_occupancy_is_that_of_the_model),
        cmocka_unit_test(allocations_are_found_and_released),
        cmocka_unit_test(a_new_allocation_is_filled_with_a_pattern),
        cmocka_unit_test(the_memory_limit_holds),
        cmocka_unit_test(module_variables_are_memory_with_a_name),
        cmocka_unit_test(what_a_kernel_wrote_is_known),
        cmocka_unit_test(the_l2_holds_what_a_launch_has_loaded_without_gaps),
        cmocka_unit_test(device_printf_can_be_read),
        cmocka_unit_test(endless_printf_is_cut),
        cmocka_unit_test(bad_modules_are_refused_with_a_line),
        cmocka_unit_test(an_image_without_code_for_this_gpu_is_refused),
        cmocka_unit_test(too_much_text_is_refused),
        cmocka_unit_test(copies_take_their_bandwidth),
        cmocka_unit_test(a_load_from_a_watched_allocation_is_told_with_its_line),
        cmocka_unit_test(an_untimed_launch_counts_instructions_alone),
        cmocka_unit_test(the_constant_variables_of_a_module_are_listed),
        cmocka_unit_test(a_kernel_has_the_constants_that_it_names),
        cmocka_unit_test(frames_take_their_part_of_the_cache),
    };
    return cmocka_run_group_tests(tests, new_gpu, free_gpu);
}
