#include "base/tests/unit.h"

#include "grader/report/advisor.h"
#include "grader/report/facts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static HardwareProfile h200;
static ExecutionProfile profile;
static Explanation explanation;
static Advice advice[ADVISOR_MOST];
static double call_s; /* from its first operation to its last; 0: unknown */

static const char source[] =
    "#include <cuda_runtime.h>\n"
    "__global__ void __launch_bounds__(256) blur(const float* in, const float* filter, float* out)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    float sum = 0.0f;\n"
    "    for (int k = 0; k < 1000; k++)\n"
    "        sum += in[i + k] * filter[k];\n"
    "    out[i] = sum;\n"
    "}\n"
    "extern \"C\" void solve(const float* in, const float* filter, float* out)\n"
    "{\n"
    "    cudaMemcpy(out, in, 4, cudaMemcpyDefault);\n"
    "    blur<<<1000, 256>>>(in, filter, out);\n"
    "    cudaMalloc(&out, 4);\n"
    "    cudaDeviceSynchronize();\n"
    "}\n";

enum {
    WARPS = 8000,
    TURNS = 1000,
    KERNEL_LINE = 2,
    LOOP_LINE = 7,
    STORE_LINE = 8,
    COPY_LINE = 12,
    LAUNCH_LINE = 13,
    MALLOC_LINE = 14,
    WAIT_LINE = 15
};

static int read_hardware(void **state)
{
    Message why = {0};
    if (hardware_profile_read("simgpu/profiles", "h200", &h200, &why) != STATUS_OK)
        fail_test("%s", why.text);
    return 0;
}

static ProfileKernel *kernel(void)
{
    return &profile.kernels[0];
}

static SimLine *line(int number)
{
    return &profile.lines[number == LOOP_LINE ? 0 : 1].counts;
}

/* Adds to a counter of a line, and to the same counter of the kernel. */
static void add(int number, size_t counter, uint64_t count)
{
    *(uint64_t *)((char *)&line(number)->counters + counter) += count;
    *(uint64_t *)((char *)&kernel()->counters + counter) += count;
}
#define ADD(number, counter, count) add(number, offsetof(SimCounters, counter), count)

/* A kernel without a mistake that keeps the schedulers busy: six multiply-adds per load from a tile in shared
 * memory, and one store per output. */
static void make_healthy(void)
{
    memset(&profile, 0, sizeof profile);
    call_s = 0;
    profile.kernel_count = 1;
    profile.line_count = 2;
    profile.file_count = 1;
    strcpy(profile.files[0], "/submission/submission.cu");
    *kernel() = (ProfileKernel){.name = "_Z4blurPKfPf",
                                .shape.grid = {1000, 1, 1},
                                .shape.block = {256, 1, 1},
                                .registers = 32,
                                .launches = 1,
                                .longest = {4 * TURNS, 2, TURNS / 2, 0}};
    profile.lines[0].counts = (SimLine){.line = LOOP_LINE, .executions = (uint64_t)WARPS * TURNS};
    profile.lines[1].counts = (SimLine){.line = STORE_LINE, .executions = WARPS};
    ADD(LOOP_LINE, warp_instructions, 4ull * WARPS * TURNS);
    ADD(LOOP_LINE, lane_instructions, 4ull * 32 * WARPS * TURNS);
    ADD(LOOP_LINE, fp32, 3ull * 32 * WARPS * TURNS);
    ADD(LOOP_LINE, fma32, 3ull * 32 * WARPS * TURNS);
    ADD(LOOP_LINE, shared_load_requests, (uint64_t)WARPS * TURNS / 2);
    ADD(LOOP_LINE, shared_load_wavefronts, (uint64_t)WARPS * TURNS / 2);
    line(LOOP_LINE)->ideal_shared_wavefronts = (uint64_t)WARPS * TURNS / 2;
    ADD(STORE_LINE, warp_instructions, 10ull * WARPS);
    ADD(STORE_LINE, lane_instructions, 320ull * WARPS);
    ADD(STORE_LINE, global_load_requests, WARPS);
    ADD(STORE_LINE, global_load_sectors, 4ull * WARPS);
    ADD(STORE_LINE, global_load_bytes, 128ull * WARPS);
    ADD(STORE_LINE, global_store_requests, WARPS);
    ADD(STORE_LINE, global_store_sectors, 4ull * WARPS);
    ADD(STORE_LINE, global_store_bytes, 128ull * WARPS);
    line(STORE_LINE)->ideal_load_sectors = line(STORE_LINE)->ideal_store_sectors = 4ull * WARPS;
    kernel()->counters.unique_load_sectors = kernel()->counters.unique_store_sectors = 4ull * WARPS;
}

/* Explains with the seconds that the model gives, as the device would. */
static void explain_profile(Explanation *into)
{
    KernelModel model;
    Explanation draft = {.profile = &profile, .hardware = &h200};
    kernel_model(&draft, 0, &model);
    kernel()->seconds = kernel_model_seconds(&model);
    explain(&profile, &h200, call_s, into);
}

static size_t examine(void)
{
    explain_profile(&explanation);
    const Explanation *const cases[] = {&explanation};
    size_t count = advisor_find(cases, 1, source, advice);
    explanation_free(&explanation);
    return count;
}

static void a_healthy_kernel_gets_none(void **state)
{
    make_healthy();
    size_t count = examine();
    if (count > 0)
        fail_test("%s: %s (%g)", advice[0].id, advice[0].text, advice[0].gain);
}

/* Streams that are made, for example. */
static void an_idle_device_is_no_wait_where_nobody_waited(void **state)
{
    make_healthy();
    call_s = 1e-3;
    assert_int_equal(examine(), 0);
}

/* ---- one mistake at a time --------------------------------------------------------------------------------------- */

static void scatter_loads(void)
{
    ADD(LOOP_LINE, global_load_requests, (uint64_t)WARPS * TURNS / 4);
    ADD(LOOP_LINE, global_load_sectors, 8ull * WARPS * TURNS);
    ADD(LOOP_LINE, global_load_bytes, 32ull * WARPS * TURNS);
    line(LOOP_LINE)->ideal_load_sectors = (uint64_t)WARPS * TURNS;
}

static void let_banks_conflict(void)
{
    ADD(LOOP_LINE, shared_load_wavefronts, 8ull * WARPS * TURNS);
}

static void accumulate_in_global_memory(void)
{
    ADD(LOOP_LINE, global_store_requests, (uint64_t)WARPS * TURNS);
    ADD(LOOP_LINE, global_store_sectors, 4ull * WARPS * TURNS);
    ADD(LOOP_LINE, global_store_bytes, 128ull * WARPS * TURNS);
    line(LOOP_LINE)->ideal_store_sectors = 4ull * WARPS * TURNS;
}

static void accumulate_atomically(void)
{
    accumulate_in_global_memory();
    ADD(LOOP_LINE, atomic_requests, (uint64_t)WARPS * TURNS);
    ADD(LOOP_LINE, atomic_lanes, 32ull * WARPS * TURNS);
    ADD(LOOP_LINE, atomic_sectors, 4ull * WARPS * TURNS);
}

static void spill(void)
{
    kernel()->local_bytes = 64;
    kernel()->longest.loads += 2 * TURNS;
    ADD(LOOP_LINE, local_requests, 2ull * WARPS * TURNS);
    ADD(LOOP_LINE, local_sectors, 8ull * WARPS * TURNS);
}

static void read_different_constants(void)
{
    ADD(LOOP_LINE, constant_requests, (uint64_t)WARPS * TURNS);
    ADD(LOOP_LINE, constant_replays, 15ull * WARPS * TURNS);
}

static void diverge(void)
{
    kernel()->counters.lane_instructions /= 3;
    ADD(LOOP_LINE, divergent_branches, (uint64_t)WARPS * TURNS);
}

static void compute_in_double(void)
{
    kernel()->counters.fp32 = kernel()->counters.fma32 = 0;
    ADD(LOOP_LINE, fp64, 96ull * WARPS * TURNS);
    ADD(LOOP_LINE, fma64, 96ull * WARPS * TURNS);
}

static void start_eight_blocks(void)
{
    kernel()->shape.grid[0] = 8;
}

static void know_machine_code(void)
{
    kernel()->machine = (SimMachineRatios){.issue = 1, .fma = 1, .alu = 1, .special = 1, .shared = 1, .waiting = 1};
}

static void spill_registers(void)
{
    know_machine_code();
    kernel()->frame_bytes = 400;
    kernel()->machine.local = 0.5;
    kernel()->machine.local_sectors = 2;
}

static void take_blocks_of(uint32_t threads)
{
    kernel()->shape.block[0] = threads;
    kernel()->shape.grid[0] = 256000 / threads;
}

static void take_blocks_of_16(void)
{
    take_blocks_of(16);
}

static void take_blocks_of_32(void)
{
    take_blocks_of(32);
}

static void allocate(void)
{
    profile.allocations = profile.releases = 100;
    call_s = 1e-3;
}

static void wait_between_kernels(void)
{
    call_s = 1e-3;
    profile.waits = 20;
}

/* Each thread computes its outputs one after the other, so neighbours need not be far apart. */
static void compute_eight_outputs_in_turn(void)
{
    scatter_loads();
    ADD(LOOP_LINE, global_load_requests, 3ull * WARPS * TURNS); /* one for each multiply-add */
    ADD(LOOP_LINE, global_load_sectors, 24ull * WARPS * TURNS);
    ADD(STORE_LINE, global_store_bytes, 7 * 128ull * WARPS);
}

static void copy_to_the_host(void)
{
    profile.host_copies = (ProfileCopies){.count = 2, .bytes = 1 << 20, .seconds = 1e-3};
}

static const struct {
    void (*spoil)(void);
    const char *id;
    int line;
    const char *words;
} mistakes[] = {
    {scatter_loads, "uncoalesced", LOOP_LINE,
     "Neighbouring threads read elements that are far apart, so one access of a warp touches "},
    {compute_eight_outputs_in_turn, "uncoalesced", LOOP_LINE, ". Let neighbouring threads read neighbouring elements"},
    {let_banks_conflict, "bank_conflicts", LOOP_LINE,
     "where 1 would be enough. Let neighbouring threads access neighbouring elements, or make the distance"},
    {accumulate_in_global_memory, "global_accumulation", LOOP_LINE,
     ". Keep the sum in a local variable, and store it once at the end"},
    {accumulate_atomically, "global_accumulation", LOOP_LINE, " times by atomic operations. Keep the sum"},
    {spill, "local_memory", LOOP_LINE,
     ". Index it only with constants, in unrolled loops, so that the compiler keeps it in registers"},
    {read_different_constants, "constant_addresses_differ", LOOP_LINE,
     " different constants at once, and constant memory serves one address at a time. Let all"},
    {diverge, "divergence", LOOP_LINE, " threads are active on average. Let whole warps take the same branch"},
    {compute_in_double, "double_precision", LOOP_LINE,
     "This line computes in double precision. Write literals with an f (0.0f)"},
    {start_eight_blocks, "too_few_blocks", LAUNCH_LINE,
     " multiprocessors, so the others are idle. Let each thread do less"},
    {spill_registers, "spills", KERNEL_LINE,
     "memory, which is device memory. Let a thread keep fewer values at a time, or ask for fewer resident blocks in __launch_bounds__"},
    {take_blocks_of_16, "block_shape", LAUNCH_LINE,
     "leave lanes of their last warp without work. Use a multiple of 32, at least 64"},
    {take_blocks_of_32, "block_shape", LAUNCH_LINE,
     "are too small, because a multiprocessor holds only 32 blocks. Use a multiple"},
    {allocate, "allocations", MALLOC_LINE,
     " times, and cudaFree() waits for the device. Allocate once, and keep the memory"},
    {wait_between_kernels, "waits", WAIT_LINE, " solve() waits for it before it launches the next kernel. What"},
    {copy_to_the_host, "host_copies", COPY_LINE,
     "although the arrays are already in device memory. Work on them there, and copy a filter to constant memory with"},
};

static void each_mistake_is_named_first_with_its_line(void **state)
{
    for (size_t i = 0; i < COUNT_OF(mistakes); i++) {
        make_healthy();
        mistakes[i].spoil();
        size_t count = examine();
        if (count == 0)
            fail_test("%s: no advice", mistakes[i].id);
        if (strcmp(advice[0].id, mistakes[i].id) != 0 || advice[0].line != mistakes[i].line)
            fail_test("%s of line %d: got %s of line %d (%g)", mistakes[i].id, mistakes[i].line, advice[0].id,
                      advice[0].line, advice[0].gain);
        assert_true(advice[0].gain > 0 && advice[0].gain < 1);
        assert_null(strstr(advice[0].text, "nan"));
        if (strstr(advice[0].text, mistakes[i].words) == NULL)
            fail_test("%s: %s", mistakes[i].id, advice[0].text);
    }
}

/* A case without the defect counts in the score, too: of two equal times one shrinks. */
static void the_gain_is_that_of_the_score_over_all_cases(void **state)
{
    static ExecutionProfile spoilt;
    Explanation healthy, conflicting;
    make_healthy();
    let_banks_conflict();
    const size_t alone = examine();
    const double gain = advice[0].gain;
    explain_profile(&conflicting);
    spoilt = profile;
    conflicting.profile = &spoilt;
    make_healthy();
    explain_profile(&healthy);
    const Explanation *const cases[] = {&healthy, &conflicting};
    const size_t count = advisor_find(cases, 2, source, advice);
    explanation_free(&healthy);
    explanation_free(&conflicting);
    assert_int_equal(alone, 1);
    assert_int_equal(count, 1);
    assert_int_equal(advice[0].case_index, 1);
    assert_int_equal(advice[0].line, LOOP_LINE);
    assert_true(fabs(advice[0].gain - (1 - sqrt(1 - gain))) < 1e-9);
}

static void at_most_five_come_and_the_strongest_first(void **state)
{
    make_healthy();
    for (size_t i = 0; i < COUNT_OF(mistakes); i++)
        mistakes[i].spoil();
    size_t count = examine();
    assert_true(count <= ADVISOR_MOST);
    for (size_t i = 1; i < count; i++)
        assert_true(advice[i - 1].gain >= advice[i].gain);
}

static void lines_of_headers_are_not_blamed(void **state)
{
    make_healthy();
    strcpy(profile.files[0], "/usr/local/cuda/include/cooperative_groups.h");
    let_banks_conflict();
    assert_int_equal(examine(), 0);
}

/* Ten launches with different grids that gain a tenth each gain as much as one. */
static void kernels_in_several_shapes_gain_together(void **state)
{
    enum { SHAPES = 10 };
    make_healthy();
    let_banks_conflict();
    assert_int_equal(examine(), 1);
    double gain = advice[0].gain;
    profile.kernel_count = SHAPES;
    for (uint32_t i = 1; i < SHAPES; i++) {
        profile.kernels[i] = profile.kernels[0];
        profile.kernels[i].shape.grid[0] += i;
        for (uint32_t j = 0; j < 2; j++) {
            profile.lines[profile.line_count] = profile.lines[j];
            profile.lines[profile.line_count++].kernel = i;
        }
    }
    assert_int_equal(examine(), 1);
    assert_true(fabs(advice[0].gain - gain) < 0.01);
}

/* ---- what stands above the advice -------------------------------------------------------------------------------- */

static void the_bound_and_the_roofline_follow_from_the_counters(void **state)
{
    make_healthy();
    kernel()->seconds = 1e-3;
    explain(&profile, &h200, call_s, &explanation);
    const ExplainedKernel *found = &explanation.kernels[0];
    assert_string_equal(found->name, "blur");
    assert_string_equal(found->cost.limiter, "issue");
    assert_true(found->bound_share > 0.5 && found->bound_share <= 1);
    assert_true(fabs(found->flops - 2 * 96.0 * WARPS * TURNS) < 1);
    assert_true(fabs(found->intensity - found->flops / (8.0 * 32 * WARPS)) < 1e-6 * found->intensity);
    assert_true(fabs(found->gflops - found->flops * 1e-6) < 1e-6 * found->gflops);
    assert_true(found->roof_gflops == h200.fma_flops_per_s * 1e-9);
    assert_true(found->share == 1);
    double sum = explanation.line_shares[0] + explanation.line_shares[1];
    assert_true(sum > 0.8 && sum <= 1);
    assert_true(explanation.line_shares[0] > 0.9 * sum);
    explanation_free(&explanation);
}

/* The grading's bracket holds the two events, too, so the explanation of a call counts them. */
static void the_time_is_the_graded_one(void **state)
{
    make_healthy();
    kernel()->seconds = 20e-6;
    const double graded[] = {20e-6 + h200.events_s, 30e-6};
    for (size_t i = 0; i < COUNT_OF(graded); i++) {
        explain(&profile, &h200, graded[i], &explanation);
        assert_true(fabs(explanation.seconds - graded[i]) < 1e-12);
        assert_true(fabs(explanation.wait_s - (graded[i] - graded[0])) < 1e-12);
        explanation_free(&explanation);
    }
}

static const struct {
    uint32_t threads, registers, shared;
    const char *limit;
} limits[] = {
    {256, 128, 0, "registers"},
    {64, 32, 100000, "shared memory"},
    {32, 16, 0, "blocks per multiprocessor"},
    {1024, 32, 0, "threads per multiprocessor"},
    {256, 128, 100000, "registers and shared memory"},
};

static void what_limits_the_occupancy_is_named(void **state)
{
    for (size_t i = 0; i < COUNT_OF(limits); i++) {
        make_healthy();
        kernel()->seconds = 1e-3;
        kernel()->shape.block[0] = limits[i].threads;
        kernel()->registers = limits[i].registers;
        kernel()->static_shared_bytes = limits[i].shared;
        explain(&profile, &h200, call_s, &explanation);
        if (strcmp(explanation.kernels[0].occupancy_limit, limits[i].limit) != 0)
            fail_test("row %zu: %s, expected %s", i, explanation.kernels[0].occupancy_limit, limits[i].limit);
        explanation_free(&explanation);
    }
}

/* The problem has no arrays, so what is for each element is unknown. */
static void facts_follow_from_the_counters(void **state)
{
    const Problem problem = {.parameter_count = 0};
    const Sizes sizes = {0};
    const double needed = 96.0 * WARPS * TURNS;
    double facts[FACT_COUNT];
    make_healthy();
    explain_profile(&explanation);
    facts_of(&explanation, &problem, &sizes, needed, facts);
    explanation_free(&explanation);
    assert_true(fabs(facts[FACT_operations_over_needed] - 2) < 1e-9);
    assert_true(fabs(facts[FACT_shared_loads_per_fma] - 1.0 / 6) < 1e-3);
    assert_true(fabs(facts[FACT_fma_per_iteration] - 3) < 1e-9);
    assert_true(fabs(facts[FACT_outputs_per_thread] - 4) < 1e-9); /* of a byte, where no type is known */
    assert_true(facts[FACT_bytes_per_load] == 4 && facts[FACT_sectors_over_ideal] == 1);
    assert_true(facts[FACT_wavefronts_over_ideal] == 1 && facts[FACT_active_lanes] == 32);
    assert_true(facts[FACT_blocks] == 1000 && facts[FACT_threads_per_block] == 256 && facts[FACT_launches] == 1);
    assert_true(facts[FACT_double_share] == 0 && facts[FACT_tensor_share] == 0 && facts[FACT_spilled_bytes] == 0);
    assert_true(facts[FACT_issue_share] > 0.5 && facts[FACT_issue_share] <= 1);
    assert_true(isnan(facts[FACT_addresses_per_constant_load]) && !isfinite(facts[FACT_stores_per_output]));
}

/* A warp's access to an array, all lanes `step` apart, in elements of 4 bytes. */
static void ask(uint32_t array, uint32_t warp, uint32_t turn, bool is_store, uint64_t first, uint64_t step)
{
    ProfileRequest *request = &profile.requests[profile.request_count++];
    *request = (ProfileRequest){.array = array,
                                .is = {.access = is_store ? 9 : (int32_t)array,
                                       .line = is_store ? STORE_LINE : LOOP_LINE,
                                       .warp = warp,
                                       .turn = turn,
                                       .space = array == 4 ? PTX_CONST : PTX_GLOBAL,
                                       .is_store = is_store,
                                       .bytes = 4,
                                       .lanes = ~0u}};
    for (uint64_t lane = 0; lane < SIM_WARP_SIZE; lane++)
        request->is.addresses[lane] = profile.arrays[array - 1].address + 4 * (first + step * lane);
}

/* Each thread computes two outputs, a row of 100 apart, from a filter in `filter`. */
static void use_arrays(uint32_t filter)
{
    static const char *const names[] = {"input", "kernel", "output", "taps"};
    make_healthy();
    for (uint32_t i = 0; i < COUNT_OF(names); i++) {
        profile.arrays[i] = (SimArray){.address = 4096 * (i + 1), .element_bytes = 4};
        snprintf(profile.arrays[i].name, sizeof profile.arrays[i].name, "%s", names[i]);
    }
    profile.array_count = COUNT_OF(names);
    for (uint32_t turn = 0; turn < 3; turn++)
        for (uint32_t warp = 0; warp < 2; warp++) {
            ask(1, warp, turn, false, 64 * warp + 3 * turn, 2);
            ask(filter, warp, turn, false, turn, 0);
        }
    for (uint32_t turn = 0; turn < 2; turn++)
        ask(3, 0, turn, true, 100 * turn, 1);
    profile.reads[0] = (ProfileRead){.array = 1, .index = 0, .threads = 6, .warps = 3, .l2 = 2, .memory = 1};
    profile.reads[1] = (ProfileRead){.array = 1, .index = 1, .threads = 4, .warps = 1, .l2 = 1, .memory = 1};
    profile.reads[2] = (ProfileRead){.array = filter, .index = 0, .threads = 64, .warps = 2};
    profile.read_count = 3;
}

static void facts_name_arrays_by_their_roles(void **state)
{
    Problem problem;
    Sizes sizes = {0};
    Message why = {0};
    double facts[FACT_COUNT];
    if (problem_read("conv1d", &problem, &why) != STATUS_OK)
        fail_test("%s", why.text);
    for (size_t i = 0; i < problem.parameter_count; i++)
        if (problem.parameters[i].role == ROLE_SIZE)
            sizes.values[i] = strcmp(problem.parameters[i].name, "input_size") == 0 ? 1000 : 10;
    for (uint32_t filter = 2; filter <= 4; filter += 2) {
        use_arrays(filter);
        explain_profile(&explanation);
        facts_of(&explanation, &problem, &sizes, 1, facts);
        explanation_free(&explanation);
        assert_true(facts[FACT_input_lane_stride] == 2 && facts[FACT_input_warp_stride] == 64);
        assert_true(facts[FACT_input_loop_stride] == 3 && facts[FACT_output_loop_stride] == 100);
        assert_true(facts[FACT_output_lane_stride] == 1);
        assert_true(facts[FACT_filter_lane_stride] == 0 && facts[FACT_filter_loop_stride] == 1);
        assert_true(facts[FACT_filter_in_constant] == (filter == 4) && facts[FACT_filter_reads_by_threads] == 64);
        assert_true(facts[FACT_input_reads_by_threads] == 5 && facts[FACT_input_reads_by_warps] == 2);
        assert_true(facts[FACT_input_reads_from_l2] == 1.5 && facts[FACT_input_reads_from_memory] == 1);
    }
    problem_free(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_name_arrays_by_their_roles),
        cmocka_unit_test(a_healthy_kernel_gets_none),
        cmocka_unit_test(an_idle_device_is_no_wait_where_nobody_waited),
        cmocka_unit_test(each_mistake_is_named_first_with_its_line),
        cmocka_unit_test(the_gain_is_that_of_the_score_over_all_cases),
        cmocka_unit_test(at_most_five_come_and_the_strongest_first),
        cmocka_unit_test(lines_of_headers_are_not_blamed),
        cmocka_unit_test(kernels_in_several_shapes_gain_together),
        cmocka_unit_test(the_bound_and_the_roofline_follow_from_the_counters),
        cmocka_unit_test(the_time_is_the_graded_one),
        cmocka_unit_test(what_limits_the_occupancy_is_named),
        cmocka_unit_test(facts_follow_from_the_counters),
    };
    return cmocka_run_group_tests(tests, read_hardware, NULL);
}
