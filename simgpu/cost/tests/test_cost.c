#include "base/tests/unit.h"

#include "simgpu/cost/cost.h"

#include <math.h>
#include <string.h>

static HardwareProfile h200;

static int read_profile(void **state)
{
    Message why = {0};
    if (hardware_profile_read("simgpu/profiles", "h200", &h200, &why) != STATUS_OK)
        fail_test("%s", why.text);
    return 0;
}

/* ---- occupancy --------------------------------------------------------------------------------------------------- */

/* Computed by hand: a multiprocessor has 64 warps, 32 blocks, 4 schedulers with 16384 registers each, allocated to
 * warps in units of 256, and 228 KB of shared memory, of which each block takes 1 KB more than it asks for. */
static const struct {
    uint32_t threads, registers, static_shared, dynamic_shared, blocks;
} occupancies[] = {
    {256, 32, 0, 0, 8}, /* 64 warps / 8 */
    {1024, 32, 0, 0, 2},
    {1024, 64, 0, 0, 1},     /* 2048 registers per warp, 8 warps per scheduler */
    {1024, 65, 0, 0, 0},     /* 2304 per warp, 7 warps per scheduler: 28 warps are less than a block */
    {256, 40, 0, 0, 6},      /* 1280 per warp, 12 warps per scheduler, 48 warps / 8 */
    {128, 255, 0, 0, 2},     /* 8192 per warp, 2 warps per scheduler, 8 warps / 4 */
    {128, 256, 0, 0, 0},     /* more than a thread can have */
    {32, 16, 0, 0, 32},      /* at most 32 blocks */
    {33, 16, 0, 0, 32},      /* two warps: 64 / 2 */
    {96, 16, 0, 0, 21},      /* 64 / 3 */
    {300, 16, 0, 0, 6},      /* 64 / 10 */
    {256, 0, 0, 0, 8},       /* registers unknown */
    {256, 32, 49152, 0, 4},  /* 233472 / 50176 = 4.65 */
    {256, 32, 0, 232448, 1}, /* the most that a block can have */
    {256, 32, 0, 232449, 0},
    {256, 32, 1, 232448, 0}, /* too much in sum */
    {256, 32, 4000000000u, 4000000000u, 0},
    {128, 32, 20480, 0, 10}, /* 233472 / 21504 = 10.86 */
    {128, 32, 20481, 0, 10}, /* rounded up to 21632: 10.79 */
    {256, 32, 1000, 0, 8},   /* shared memory would suffice for 114 */
    {0, 32, 0, 0, 0},
    {1025, 16, 0, 0, 0},
};

static void occupancy_follows_the_rules(void **state)
{
    for (size_t i = 0; i < COUNT_OF(occupancies); i++) {
        SimFunctionInfo function = {.registers = occupancies[i].registers,
                                    .static_shared_bytes = occupancies[i].static_shared};
        uint32_t blocks = cost_resident_blocks(&h200, &function, occupancies[i].threads, occupancies[i].dynamic_shared);
        if (blocks != occupancies[i].blocks)
            fail_test("row %zu: %u blocks, expected %u", i, blocks, occupancies[i].blocks);
    }
}

/* ---- convolutions, counted by hand ------------------------------------------------------------------------------- */

/* What one warp of a convolution kernel does per tap, and once. */
typedef struct Kernel {
    double instructions, fmas, integers; /* per tap */
    double loads, sectors, bytes;        /* per tap, from global memory; bytes requested by 32 lanes */
    double load_wavefronts;              /* per tap, in the L1; 0: as its sectors need */
    double missing;                      /* fraction of the sectors that miss the L1 */
    double shared, wavefronts, constant; /* per tap */
    double fixed_instructions, fixed_loads;
    double outputs; /* per thread */
    uint32_t threads, registers, filter_bytes;
    bool uniform;
} Kernel;

/* A filter element is a broadcast: 1 sector, 128 bytes requested. 32 neighbouring floats lie in 4 sectors if they start
 * at a multiple of 32 bytes, as for every eighth tap, else in 5: 4.875 on average. Loops are unrolled by 4. */
static const Kernel naive = {.instructions = 3.75,
                             .fmas = 1,
                             .integers = 0.75,
                             .loads = 2,
                             .sectors = 5.875,
                             .bytes = 256,
                             .fixed_instructions = 25,
                             .outputs = 1,
                             .threads = 256,
                             .registers = 32};
static const Kernel constant = {.instructions = 3.75,
                                .fmas = 1,
                                .integers = 0.75,
                                .loads = 1,
                                .sectors = 4.875,
                                .bytes = 128,
                                .constant = 1,
                                .fixed_instructions = 25,
                                .outputs = 1,
                                .threads = 256,
                                .registers = 32,
                                .filter_bytes = 2047 * 4,
                                .uniform = true};
static const Kernel shared_tile = {.instructions = 3.75,
                                   .fmas = 1,
                                   .integers = 0.75,
                                   .loads = 1,
                                   .sectors = 1,
                                   .bytes = 128,
                                   .shared = 1,
                                   .wavefronts = 1,
                                   .fixed_instructions = 60,
                                   .fixed_loads = 9,
                                   .outputs = 1,
                                   .threads = 256,
                                   .registers = 32};
static const Kernel register_tile = {.instructions = 10.75,
                                     .fmas = 8,
                                     .integers = 0.75,
                                     .shared = 2,
                                     .wavefronts = 2,
                                     .fixed_instructions = 120,
                                     .fixed_loads = 16,
                                     .outputs = 8,
                                     .threads = 256,
                                     .registers = 40};

typedef struct Work {
    SimCounters counters;
    SimFunctionInfo function;
    CostInput input;
} Work;

static void count(Work *work, const Kernel *kernel, double outputs, double taps)
{
    double warps = ceil(outputs / kernel->outputs / 32), lanes = warps * 32;
    double instructions = kernel->instructions * taps + kernel->fixed_instructions;
    *work = (Work){
        .counters = {.warp_instructions = (uint64_t)(warps * instructions),
                     .fp32 = (uint64_t)(lanes * kernel->fmas * taps),
                     .fma32 = (uint64_t)(lanes * kernel->fmas * taps),
                     .integer = (uint64_t)(lanes * (kernel->integers * taps + kernel->fixed_instructions / 2)),
                     .global_load_requests = (uint64_t)(warps * (kernel->loads * taps + kernel->fixed_loads)),
                     .global_load_sectors = (uint64_t)(warps * (kernel->sectors * taps + 4.5 * kernel->fixed_loads)),
                     .global_load_wavefronts = (uint64_t)(warps * kernel->load_wavefronts * taps),
                     .global_load_bytes = (uint64_t)(warps * (kernel->bytes * taps + 128 * kernel->fixed_loads)),
                     .global_store_requests = (uint64_t)(warps * kernel->outputs),
                     .global_store_sectors = (uint64_t)(warps * 4 * kernel->outputs),
                     .global_store_bytes = (uint64_t)(outputs * 4),
                     .shared_load_requests = (uint64_t)(warps * kernel->shared * taps),
                     .shared_load_wavefronts = (uint64_t)(warps * kernel->wavefronts * taps),
                     .constant_requests = (uint64_t)(warps * kernel->constant * taps),
                     .unique_load_sectors = (uint64_t)((outputs + taps) / 8),
                     .missing_load_sectors = (uint64_t)((outputs + taps) / 8 + warps * kernel->missing * taps),
                     .unique_store_sectors = (uint64_t)(outputs / 8),
                     .unique_constant_bytes = kernel->filter_bytes},
        .function = {.registers = kernel->registers, .uniform_constant_loads = kernel->uniform},
        .input = {.profile = &h200,
                  .shape.block = {kernel->threads, 1, 1},
                  .shape.grid = {1, 1, 1},
                  .longest_warp_instructions = (uint64_t)instructions,
                  .longest_warp_loads = (uint64_t)(kernel->loads * taps + kernel->fixed_loads),
                  .longest_warp_shared = (uint64_t)(kernel->shared * taps),
                  .longest_warp_constant = (uint64_t)(kernel->constant * taps)},
    };
    work->input.shape.grid[0] = (uint32_t)ceil(lanes / kernel->threads);
    work->input.counters = &work->counters;
    work->input.function = &work->function;
}

static double model_us(const Kernel *kernel, double outputs, double taps)
{
    Work work;
    count(&work, kernel, outputs, taps);
    return cost_model(&work.input).seconds * 1e6;
}

/* On an H200, 1.5 million outputs: 165, 815, 983 and 4988 us with 2047 taps; 24, 60, 64 and 116 us with 127. */
static void long_filters_order_as_on_hardware(void **state)
{
    static const int taps[] = {2047, 127};
    for (size_t i = 0; i < COUNT_OF(taps); i++) {
        double outputs = 1.5e6 - taps[i] + 1;
        double times[] = {model_us(&register_tile, outputs, taps[i]), model_us(&shared_tile, outputs, taps[i]),
                          model_us(&naive, outputs, taps[i]), model_us(&constant, outputs, taps[i])};
        print_message("%d taps: register tile %.1f, shared %.1f, naive %.1f, constant %.1f us\n", taps[i], times[0],
                      times[1], times[2], times[3]);
        for (int k = 0; k < 3; k++)
            assert_true(times[k] * 1.02 < times[k + 1]);
    }
}

static void times_are_of_the_size_that_hardware_takes(void **state)
{
    double outputs = 1.5e6 - 2046;
    assert_true(fabs(log2(model_us(&naive, outputs, 2047) / 983)) < 0.5);
    assert_true(fabs(log2(model_us(&shared_tile, outputs, 2047) / 815)) < 0.5);
    assert_true(fabs(log2(model_us(&constant, outputs, 2047) / 4988)) < 0.5);
}

static void a_long_filter_in_constant_memory_is_five_times_slower(void **state)
{
    double ratio = model_us(&constant, 1.5e6, 2047) / model_us(&naive, 1.5e6, 2047);
    assert_true(ratio > 4 && ratio < 6.5);
}

/* On an H200: 15.0 against 18.2 us. */
static void a_short_filter_in_constant_memory_is_faster(void **state)
{
    assert_true(model_us(&constant, 1.5e6, 31) < model_us(&naive, 1.5e6, 31));
}

/* On an H200, 512 taps: 136 us with blocks of 1024 threads, 1234 with blocks of 256. */
static void few_large_blocks_share_what_they_read_of_constant_memory(void **state)
{
    Kernel large = constant;
    large.threads = 1024;
    assert_true(model_us(&large, 1.5e6, 512) < 0.5 * model_us(&constant, 1.5e6, 512));
}

/* On an H200, two blocks of 1024 threads on each multiprocessor: 42 us for 1023 taps, 280 for 2047. */
static void blocks_drift_apart_the_further_the_longer_a_filter_is(void **state)
{
    Kernel large = constant;
    large.threads = 1024;
    double outputs = 2.0 * h200.multiprocessors * 1024;
    assert_true(model_us(&large, outputs, 2047) > 3 * model_us(&large, outputs, 1023));
    assert_true(model_us(&large, outputs / 2, 2047) <
                0.5 * model_us(&large, outputs, 2047)); /* one block per multiprocessor: no misses */
}

/* On an H200, 3072 x 3072 with 15 x 15: 664 against 800 us. */
static void a_filter_indexed_by_two_loops_costs_about_the_same_from_constant_memory(void **state)
{
    Kernel nested = constant;
    nested.uniform = false;
    double outputs = 3058.0 * 3058, ratio = model_us(&nested, outputs, 225) / model_us(&naive, outputs, 225);
    assert_true(ratio > 0.7 && ratio < 1.1);
}

/* ---- traps that the model must show ------------------------------------------------------------------------------ */

static void bank_conflicts_cost(void **state)
{
    Kernel conflicts = shared_tile;
    conflicts.wavefronts = 32;
    assert_true(model_us(&conflicts, 1.5e6, 127) > 5 * model_us(&shared_tile, 1.5e6, 127));
}

/* Neighbouring threads read different rows of a matrix: 31.8 sectors per request, all in the same banks, which hit the
 * L1. 3072 x 3072 with 15 x 15 on an H200, blocks of 32 x 8: 8647 against 595 us. */
static void walking_across_rows_costs(void **state)
{
    Kernel across = naive;
    across.sectors = across.load_wavefronts = 1 + 31.8;
    double us = model_us(&across, 9.35e6, 225), ratio = us / model_us(&naive, 9.35e6, 225);
    print_message("across the rows: %.1f times, %.0f us\n", ratio, us);
    assert_true(fabs(us / 8647 - 1) < 0.1);
    assert_true(ratio > 8647 / 595.0 / 1.3 && ratio < 8647 / 595.0 * 1.3);
}

/* The hardware takes 0.6 ms to start a million blocks of one warp. */
/* On an H200, 4 Mi threads that each store 8 times: 285 us where lanes are 32 bytes apart, 467 where they are 128
 * (simgpu/calibrate, touches). */
static void stores_of_which_each_has_a_line_cost_more(void **state)
{
    const uint64_t requests = 1 << 20, sectors = 32 * requests;
    SimCounters counters = {.warp_instructions = 2 * requests,
                            .global_store_requests = requests,
                            .global_store_bytes = 128 * requests,
                            .global_store_sectors = sectors,
                            .unique_store_sectors = 1 << 19};
    const SimFunctionInfo function = {.registers = 16};
    const CostInput input = {.profile = &h200,
                             .function = &function,
                             .counters = &counters,
                             .shape = {.grid = {1 << 14, 1, 1}, .block = {256, 1, 1}}};
    counters.global_store_lines = sectors / 4;
    const double in_lines = cost_model(&input).seconds;
    counters.global_store_lines = sectors;
    const double apart = cost_model(&input).seconds;
    assert_true(fabs(apart / 467e-6 - 1) < 0.1);
    assert_true(in_lines < 0.65 * apart && in_lines > 0.3 * apart);
    counters.global_store_lines = 0; /* not counted: as if the lines were full */
    assert_true(cost_model(&input).seconds == in_lines);
}

static void a_block_for_each_output_costs(void **state)
{
    Work work;
    count(&work, &naive, 1e6, 5);
    work.input.shape.grid[0] = 1000000;
    Cost cost = cost_model(&work.input);
    assert_true(cost.seconds > 0.6e-3);
    assert_string_equal(cost.limiter, "blocks");
}

static void low_occupancy_costs(void **state)
{
    Kernel heavy = naive;
    heavy.registers = 255;
    assert_true(model_us(&heavy, 1.5e6, 127) > 1.5 * model_us(&naive, 1.5e6, 127));
}

static void the_limiter_is_named(void **state)
{
    static const struct {
        SimCounters counters;
        const char *limiter;
    } rows[] = {
        {{0}, "launch"},
        {{.warp_instructions = 1e12}, "issue"},
        {{.fp32 = 1e14}, "fma"},
        {{.fp64 = 1e14}, "fp64"},
        {{.integer = 1e14}, "integer"},
        {{.special = 1e14}, "special"},
        {{.tensor = 1e15, .tensor_bytes = 2e15}, "tensor"},
        {{.tensor = 1e15, .warpgroup_bytes = 2e15}, "tensor"},
        {{.shared_load_wavefronts = 1e12}, "lsu"},
        {{.global_load_requests = 1e10,
          .global_load_sectors = 4e10,
          .global_load_bytes = 128e10,
          .unique_load_sectors = 4e10},
         "dram"},
        {{.global_load_requests = 1e10,
          .global_load_sectors = 32e10,
          .global_load_bytes = 128e10,
          .missing_load_sectors = 32e10},
         "l2"},
        {{.constant_requests = 1e12}, "constant"},
        {{.texture_requests = 1e11}, "texture"},
        {{.heap_allocations = 1e9}, "heap"},
    };
    SimFunctionInfo function = {.registers = 32};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        CostInput input = {.profile = &h200,
                           .function = &function,
                           .shape.grid = {132, 1, 1},
                           .shape.block = {256, 1, 1},
                           .counters = &rows[i].counters};
        assert_string_equal(cost_model(&input).limiter, rows[i].limiter);
    }
    CostInput chain = {.profile = &h200,
                       .function = &function,
                       .shape.grid = {1, 1, 1},
                       .shape.block = {1, 1, 1},
                       .counters = &rows[0].counters,
                       .longest_warp_instructions = 1000000};
    assert_string_equal(cost_model(&chain).limiter, "latency");
}

static double seconds_with_loads(uint64_t loads)
{
    SimCounters counters = {.warp_instructions = 1000000};
    SimFunctionInfo function = {.registers = 32};
    CostInput chain = {.profile = &h200,
                       .function = &function,
                       .shape.grid = {1, 1, 1},
                       .shape.block = {1, 1, 1},
                       .counters = &counters,
                       .longest_warp_instructions = 1000000,
                       .longest_warp_loads = loads};
    return cost_model(&chain).seconds;
}

static void of_the_loads_of_a_warp_alone_the_first_comes_from_memory(void **state)
{
    const double none = seconds_with_loads(0), first = h200.global_latency_s, all = first + 100 * h200.l1_latency_s;
    assert_true(fabs(seconds_with_loads(1) - none - first) < 0.02 * first);
    assert_true(fabs(seconds_with_loads(101) - none - all) < 0.02 * all);
}

/* ---- properties -------------------------------------------------------------------------------------------------- */

static void more_of_anything_is_never_faster(void **state)
{
#define LONGEST(name)                                                                                                  \
    {                                                                                                                  \
#name, offsetof(Work, input) + offsetof(CostInput, name)                                                       \
    }
    static const struct {
        const char *name;
        size_t offset;
    } fields[] = {
#define COUNTER(NAME, UNIT) {#NAME, offsetof(Work, counters) + offsetof(SimCounters, NAME)},
#include "simgpu/cost/counters.def"
        LONGEST(longest_warp_instructions),
        LONGEST(longest_warp_loads),
        LONGEST(longest_warp_shared),
        LONGEST(longest_warp_constant),
    };
    const Kernel *kernels[] = {&naive, &constant, &shared_tile, &register_tile};
    for (size_t k = 0; k < COUNT_OF(kernels); k++)
        for (size_t i = 0; i < COUNT_OF(fields); i++) {
            Work work;
            count(&work, kernels[k], 1e5, 127);
            uint64_t *field = (uint64_t *)((char *)&work + fields[i].offset);
            double before = cost_model(&work.input).seconds;
            for (int step = 0; step < 40; step++) {
                *field += 1 + *field / 2;
                double after = cost_model(&work.input).seconds;
                if (!(after >= before * (1 - 1e-12)))
                    fail_test("kernel %zu: %s: %g s after %g s", k, fields[i].name, after, before);
                before = after;
            }
        }
}

static void any_counters_give_a_finite_time(void **state)
{
    SimCounters nothing = {0}, everything;
    memset(&everything, 0xFF, sizeof everything);
    SimFunctionInfo function = {.registers = 32, .uniform_constant_loads = true};
    CostInput input = {.profile = &h200,
                       .function = &function,
                       .shape.grid = {1, 1, 1},
                       .shape.block = {32, 1, 1},
                       .counters = &nothing};
    Cost cost = cost_model(&input);
    assert_true(cost.seconds >= h200.launch_s && cost.seconds < 1e-5);
    assert_string_equal(cost.limiter, "launch");

    CostInput huge = {.profile = &h200,
                      .function = &function,
                      .shape.grid = {UINT32_MAX, UINT32_MAX, UINT32_MAX},
                      .shape.block = {UINT32_MAX, UINT32_MAX, UINT32_MAX},
                      .shape.dynamic_shared_bytes = UINT32_MAX,
                      .counters = &everything,
                      .longest_warp_instructions = UINT64_MAX,
                      .longest_warp_loads = UINT64_MAX,
                      .longest_warp_shared = UINT64_MAX,
                      .longest_warp_constant = UINT64_MAX};
    cost = cost_model(&huge);
    assert_true(isfinite(cost.seconds) && cost.seconds > 1);
    assert_true(cost.occupancy >= 0 && cost.occupancy <= 1);
}

static void occupancy_is_a_share_of_the_warps(void **state)
{
    Work work;
    Kernel kernel = naive;
    kernel.registers = 40; /* 6 blocks of 8 warps of 64 */
    count(&work, &kernel, 1e6, 5);
    assert_true(cost_model(&work.input).occupancy == 0.75);
}

/* ---- machine code ------------------------------------------------------------------------------------------------ */

/* Machine code with half the instructions and a quarter of the waiting. */
static void machine_code_overrules_ptx(void **state)
{
    Work work;
    count(&work, &naive, 1.5e6, 127);
    double warps = work.input.shape.grid[0] * 8.0, instructions = (double)work.counters.warp_instructions;
    MachineWork machine = {.issue = instructions / 2, .fma = (double)work.counters.fp32 / 32, .cycles = 2000 * warps};
    double plain = cost_model(&work.input).seconds;
    work.input.machine = cost_machine_ratios(&work.input, &machine, 0);
    assert_true(fabs(work.input.machine.issue - 0.5) < 1e-9 && fabs(work.input.machine.fma - 1) < 1e-9);
    assert_true(work.input.machine.alu == 0 && work.input.machine.waiting > 0 && work.input.machine.waiting < 1);
    assert_true(cost_model(&work.input).seconds < plain);
    machine.cycles *= 1000;
    work.input.machine = cost_machine_ratios(&work.input, &machine, 0);
    assert_string_equal(cost_model(&work.input).limiter, "latency");
}

/* On an H200, 33 x 33 taps as operands of instructions take 658 us for 96 x 96 outputs: they wait for their
 * constants. */
static void operands_miss_once_there_are_more_than_their_cache_holds(void **state)
{
    Work work;
    count(&work, &naive, 1e4, 127);
    work.counters.unique_constant_bytes = 33 * 33 * 4;
    MachineWork machine = {.issue = (double)work.counters.warp_instructions, .direct = (double)work.counters.fp32 / 32};
    work.input.machine = cost_machine_ratios(&work.input, &machine, 17 * 17 * 4);
    double few = cost_model(&work.input).seconds;
    work.input.machine = cost_machine_ratios(&work.input, &machine, 33 * 33 * 4);
    assert_true(cost_model(&work.input).seconds > 1.5 * few);
}

static double part_seconds(const Work *work, const char *name)
{
    const Cost cost = cost_model(&work->input);
    for (int i = 0; i < cost.part_count; i++)
        if (strcmp(cost.parts[i].name, name) == 0)
            return cost.parts[i].seconds;
    fail_test("no part '%s'", name);
    return 0;
}

/* The tile of a register tile lies in shared memory, and each element of the filter has eight multiply-adds:
 * conv1d-constant/register_tile takes 132 us on an H200, 16 million outputs with 127 taps, where it would take 290 if its
 * blocks drifted apart as those with one multiply-add do. Instructions that are no multiply-adds do not help. */
static void blocks_that_work_longer_with_an_element_stay_together(void **state)
{
    Kernel idle = constant, busy = constant;
    busy.instructions = idle.instructions = 15;
    busy.fmas = 8;
    Work plain_work, idle_work, busy_work;
    count(&plain_work, &constant, 1e6, 255);
    count(&idle_work, &idle, 1e6, 255);
    count(&busy_work, &busy, 1e6, 255);
    const double plain = part_seconds(&plain_work, "constant");
    assert_true(part_seconds(&idle_work, "constant") == plain);
    assert_true(part_seconds(&busy_work, "constant") < 0.2 * plain);
}

/* 256 threads are an eighth of those that a multiprocessor holds; while 1,056 blocks of them run, nothing else does. */
static void kernels_leave_to_others_what_they_do_not_fill(void **state)
{
    const SimCounters none = {0};
    const SimFunctionInfo function = {.registers = 32};
    const struct {
        uint32_t blocks;
        double least, most; /* of the time beyond the launch, that nothing else can use */
    } rows[] = {{1, 0, 0.002}, {132, 0.12, 0.13}, {1056, 0.99, 1}, {1057, 0.85, 0.95}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const CostInput input = {.profile = &h200,
                                 .function = &function,
                                 .shape.grid = {rows[i].blocks, 1, 1},
                                 .shape.block = {256, 1, 1},
                                 .counters = &none,
                                 .longest_warp_instructions = 1000000};
        const Cost cost = cost_model(&input);
        const double share = (cost.device_s - 0.62 * h200.launch_s) / (cost.seconds - h200.launch_s);
        if (!(share >= rows[i].least && share <= rows[i].most * 1.000001))
            fail_test("%u blocks: %g, expected %g to %g", rows[i].blocks, share, rows[i].least, rows[i].most);
    }
}

/* An H200 takes 2.0 cycles for each further word of a short array that lanes of a warp read, and 2.5 to 6.1 of 64 KiB. */
static void words_of_an_array_that_the_cache_holds_cost_as_loads_do(void **state)
{
    double cycles[2];
    for (int is_long = 0; is_long < 2; is_long++) {
        Work work;
        count(&work, &constant, 1e6, 127);
        work.function.uniform_constant_loads = false;
        work.counters.unique_constant_bytes = is_long ? 65536 : 508;
        const double without = part_seconds(&work, "constant");
        work.counters.constant_replays = 31 * work.counters.constant_requests;
        cycles[is_long] = (part_seconds(&work, "constant") - without) * 132 * h200.clock_hz /
                          (double)work.counters.constant_replays;
    }
    assert_true(cycles[0] > 1.9 && cycles[0] < 2.1);
    assert_true(cycles[1] > 2.5 && cycles[1] < 6.1);
}

static void fetches_wait_for_loads_of_the_same_l1(void **state)
{
    Work work;
    count(&work, &constant, 1e6, 127);
    assert_true(part_seconds(&work, "texture") == 0);
    work.counters.texture_requests = work.counters.global_load_requests;
    assert_true(part_seconds(&work, "texture") > part_seconds(&work, "lsu"));
    const double beside = part_seconds(&work, "texture");
    work.counters.global_load_requests = work.counters.global_load_sectors = work.counters.global_load_wavefronts = 0;
    assert_true(part_seconds(&work, "texture") < 0.95 * beside);
}

/* A loop whose body is unrolled may load its taps by LDC and only the few that are left by ULDC, as one of conv1d-constant
 * in tools/hardware/variants.py does. */
static void loads_by_ldc_do_not_miss_the_cache_of_the_uniform_datapath(void **state)
{
    Work work;
    count(&work, &constant, 1e6, 2047);
    const double requests = (double)work.counters.constant_requests;
    double seconds[3];
    for (int half = 0; half <= 2; half++) {
        MachineWork machine = {.issue = (double)work.counters.warp_instructions,
                               .fma = (double)work.counters.fp32 / 32,
                               .constant = requests * (2 - half) / 2,
                               .uniform = requests * half / 2};
        work.input.machine = cost_machine_ratios(&work.input, &machine, 0);
        seconds[half] = part_seconds(&work, "constant");
    }
    assert_true(fabs(seconds[0] * h200.clock_hz * 132 / (requests / h200.constant_loads) - 1) < 0.02);
    assert_true(fabs(2 * seconds[1] / (seconds[0] + seconds[2]) - 1) < 0.01);
}

/* 5 planes of 5 x 5 taps in turn, conv3d/partial_sums on an H200: 304 us, and with 3 planes no slower than its issue. */
static void loads_that_miss_whatever_other_warps_do_cost(void **state)
{
    Work work;
    count(&work, &constant, 1e6, 127);
    work.counters.unique_constant_bytes = 500;
    MachineWork machine = {.issue = (double)work.counters.warp_instructions,
                           .fma = (double)work.counters.fp32 / 32,
                           .uniform = (double)work.counters.constant_requests};
    work.input.machine = cost_machine_ratios(&work.input, &machine, 0);
    double before = cost_model(&work.input).seconds;
    for (int missing = 1; missing <= 10; missing++) {
        machine.uniform_misses = missing / 10.0 * machine.uniform;
        work.input.machine = cost_machine_ratios(&work.input, &machine, 0);
        double after = cost_model(&work.input).seconds;
        assert_true(after >= before);
        before = after;
    }
    assert_true(before > 0.9 * (double)work.counters.constant_requests / 132 * h200.constant_miss_s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(occupancy_follows_the_rules),
        cmocka_unit_test(long_filters_order_as_on_hardware),
        cmocka_unit_test(times_are_of_the_size_that_hardware_takes),
        cmocka_unit_test(a_long_filter_in_constant_memory_is_five_times_slower),
        cmocka_unit_test(a_short_filter_in_constant_memory_is_faster),
        cmocka_unit_test(few_large_blocks_share_what_they_read_of_constant_memory),
        cmocka_unit_test(blocks_drift_apart_the_further_the_longer_a_filter_is),
        cmocka_unit_test(a_filter_indexed_by_two_loops_costs_about_the_same_from_constant_memory),
        cmocka_unit_test(bank_conflicts_cost),
        cmocka_unit_test(walking_across_rows_costs),
        cmocka_unit_test(stores_of_which_each_has_a_line_cost_more),
        cmocka_unit_test(a_block_for_each_output_costs),
        cmocka_unit_test(low_occupancy_costs),
        cmocka_unit_test(the_limiter_is_named),
        cmocka_unit_test(of_the_loads_of_a_warp_alone_the_first_comes_from_memory),
        cmocka_unit_test(more_of_anything_is_never_faster),
        cmocka_unit_test(any_counters_give_a_finite_time),
        cmocka_unit_test(occupancy_is_a_share_of_the_warps),
        cmocka_unit_test(machine_code_overrules_ptx),
        cmocka_unit_test(blocks_that_work_longer_with_an_element_stay_together),
        cmocka_unit_test(kernels_leave_to_others_what_they_do_not_fill),
        cmocka_unit_test(words_of_an_array_that_the_cache_holds_cost_as_loads_do),
        cmocka_unit_test(fetches_wait_for_loads_of_the_same_l1),
        cmocka_unit_test(loads_by_ldc_do_not_miss_the_cache_of_the_uniform_datapath),
        cmocka_unit_test(loads_that_miss_whatever_other_warps_do_cost),
        cmocka_unit_test(operands_miss_once_there_are_more_than_their_cache_holds),
    };
    return cmocka_run_group_tests(tests, read_profile, NULL);
}
