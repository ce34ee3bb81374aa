#include "base/tests/unit.h"

#include "simgpu/cost/cost.h"

#include <string.h>

static HardwareProfile h200;

static int read_profile(void **state)
{
    Message why = {0};
    if (hardware_profile_read("simgpu/profiles", "h200", &h200, &why) != STATUS_OK)
        fail_test("%s", why.text);
    return 0;
}

enum { BLOCKS = 132 * 100, WARPS = BLOCKS * 8, TAPS = 127 };

typedef struct Work {
    SimCounters counters;
    SimFunctionInfo function;
    CostInput input;
} Work;

/* A convolution in which each thread computes one output: two loads, a multiply-add and two other instructions a tap. */
static Work naive_kernel(void)
{
    return (Work){.counters = {.warp_instructions = (uint64_t)WARPS * TAPS * 5,
                               .fp32 = (uint64_t)WARPS * 32 * TAPS,
                               .fma32 = (uint64_t)WARPS * 32 * TAPS,
                               .integer = (uint64_t)WARPS * 32 * TAPS,
                               .global_load_requests = (uint64_t)WARPS * TAPS * 2,
                               .global_load_sectors = (uint64_t)WARPS * TAPS * 6,
                               .global_store_requests = WARPS,
                               .global_store_sectors = WARPS * 4},
                  .function = {.registers = 32},
                  .input = {.profile = &h200,
                            .shape = {.grid = {BLOCKS, 1, 1}, .block = {256, 1, 1}},
                            .longest_warp_instructions = TAPS * 5,
                            .longest_warp_loads = TAPS * 2}};
}

/* ---- floors ------------------------------------------------------------------------------------------------------ */

static double part_s(const Cost *cost, const char *name)
{
    for (int i = 0; i < cost->part_count; i++)
        if (strcmp(cost->parts[i].name, name) == 0)
            return cost->parts[i].seconds;
    fail_test("there is no part '%s'", name);
    return 0;
}

/* Machine code that seems to do nothing: each part still takes what was executed over the peak rate of an H200. */
static void no_part_is_below_its_count_over_the_peak_rate(void **state)
{
    const double all = 132 * 1.98e9; /* cycles of all multiprocessors per second */
    Work work = naive_kernel();
    work.input.counters = &work.counters;
    work.input.function = &work.function;
    SimCounters *counters = &work.counters;
    counters->unique_load_sectors = counters->global_load_sectors;
    counters->missing_load_sectors = 0;
    counters->shared_load_requests = counters->shared_load_wavefronts = 4000000;
    work.input.machine = (SimMachineRatios){.issue = 1e-9, .waiting = 1e-9};
    const Cost cost = cost_model(&work.input);
    double accesses = (double)(counters->global_load_requests + counters->global_store_requests) + 1000000;
    double certain = accesses + (double)counters->fma32 / 32, warps = WARPS;
    assert_true(counters->fma32 > 0 && accesses > 1000000);
    assert_true(part_s(&cost, "issue") >= 0.999 * certain / 4 / all);
    assert_true(part_s(&cost, "fma") >= 0.999 * (double)counters->fma32 / 128 / all);
    assert_true(part_s(&cost, "lsu") >= 0.999 * accesses / all);
    assert_true(part_s(&cost, "l2") >= 0.999 * (double)counters->global_load_sectors * 32 / h200.l2_bytes_per_s);
    assert_true(part_s(&cost, "latency") >= 0.999 * certain / warps / 1.98e9);
}

static void machine_code_that_cannot_be_read_is_no_advantage(void **state)
{
    Work work = naive_kernel();
    work.input.counters = &work.counters;
    work.input.function = &work.function;
    double plain = cost_model(&work.input).seconds;
    work.function.has_unknown_code = true;
    assert_true(cost_model(&work.input).seconds > 1.5 * plain);
}

/* ---- local memory ------------------------------------------------------------------------------------------------ */

static void spilled_registers_cost(void **state)
{
    Work work = naive_kernel();
    work.input.counters = &work.counters;
    work.input.function = &work.function;
    MachineWork machine = {.issue = (double)work.counters.warp_instructions, .fma = (double)work.counters.fp32 / 32};
    work.input.machine = cost_machine_ratios(&work.input, &machine, 0);
    double without = cost_model(&work.input).seconds;
    machine.local = (double)work.counters.warp_instructions;
    machine.local_bytes = 4 * machine.local;
    work.input.machine = cost_machine_ratios(&work.input, &machine, 0);
    double with = cost_model(&work.input).seconds;
    work.function.frame_bytes = 472; /* of 2048 threads they do not fit into the L1 */
    assert_true(with > 1.1 * without);
    assert_true(cost_model(&work.input).seconds > 1.5 * with);
}

/* One spilled register more in each thread, for each of its taps, until the frames of all threads fit nowhere. */
static void more_spilled_registers_are_never_faster(void **state)
{
    Work work = naive_kernel();
    work.input.counters = &work.counters;
    work.input.function = &work.function;
    double instructions = (double)work.counters.warp_instructions, before = 0, first = 0;
    for (int spilled = 0; spilled <= 256; spilled++) {
        double accesses = (double)WARPS * TAPS * 2 * spilled;
        MachineWork machine = {.issue = instructions + accesses,
                               .fma = (double)work.counters.fp32 / 32,
                               .local = accesses,
                               .local_bytes = 4 * accesses};
        work.function.frame_bytes = 4 * (uint32_t)spilled;
        work.input.machine = cost_machine_ratios(&work.input, &machine, 0);
        const LoadShare local = cost_local_share(&work.input);
        double after = cost_model(&work.input).seconds;
        assert_true(after > before && local.l2 >= 0 && local.memory >= 0 && local.l2 + local.memory <= 1);
        assert_true((local.l2 + local.memory > 0) == (2048 * 4 * spilled > 262144)); /* the L1 of an H200 */
        assert_true((local.memory > 0) == (132.0 * 2048 * 4 * spilled > 62914560));  /* its L2 */
        first = spilled == 0 ? after : first;
        before = after;
    }
    assert_true(before > 100 * first);
}

/* ---- stores ------------------------------------------------------------------------------------------------------ */

/* The L2's part for four outputs a thread, each warp's stores of so many sectors each. */
static double l2_of_stores_s(uint64_t stores, uint64_t sectors)
{
    Work work = naive_kernel();
    work.input.counters = &work.counters;
    work.input.function = &work.function;
    work.counters.global_load_sectors = work.counters.global_load_requests = 0;
    work.counters.global_store_requests = WARPS * stores;
    work.counters.global_store_sectors = WARPS * stores * sectors;
    work.counters.global_store_bytes = WARPS * stores * 128;
    const Cost cost = cost_model(&work.input);
    return part_s(&cost, "l2");
}

/* An H200 writes 1.2 to 1.6 times the sectors where each thread stores four neighbours (tools/hardware/h200). */
static void neighbours_that_a_thread_stores_are_merged(void **state)
{
    double apart = l2_of_stores_s(4, 4), neighbours = l2_of_stores_s(4, 16);
    assert_true(apart > 0 && neighbours > 1.2 * apart && neighbours < 1.7 * apart);
}

/* Threads that walk along the rows of an image store one element each in 32 rows: nothing to merge. */
static void stores_into_distant_sectors_are_not_merged(void **state)
{
    assert_true(l2_of_stores_s(1, 32) > 7.99 * l2_of_stores_s(1, 4));
    assert_true(l2_of_stores_s(4, 32) > 2 * l2_of_stores_s(4, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_part_is_below_its_count_over_the_peak_rate),
        cmocka_unit_test(machine_code_that_cannot_be_read_is_no_advantage),
        cmocka_unit_test(spilled_registers_cost),
        cmocka_unit_test(more_spilled_registers_are_never_faster),
        cmocka_unit_test(neighbours_that_a_thread_stores_are_merged),
        cmocka_unit_test(stores_into_distant_sectors_are_not_merged),
    };
    return cmocka_run_group_tests(tests, read_profile, NULL);
}
