#include "base/tests/unit.h"

#include "grader/report/advisor.h"

#include <math.h>
#include <string.h>

static HardwareProfile h200;
static ExecutionProfile profile;
static Explanation explanation;
static Advice advice[ADVISOR_MOST];
static Problem problem;
static Sizes sizes;
static double call_s;     /* from its first operation to its last; 0: unknown */
static double operations; /* that the problem asks for; 0: unknown */

static const char source[] =
    "#include <cuda_runtime.h>\n"
    "__global__ void __launch_bounds__(256) blur(const float* in, const float* filter, float* out)\n"
    "{\n"
    "    __shared__ float s_tile[32][32];\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    float sum = 0.0f;\n"
    "    for (int k = 0; k < 1000; k++)\n"
    "        sum += in[i + k] * filter[k];\n"
    "    out[i] = sum;\n"
    "    for (int k = 0; k < 1000; k++)\n"
    "        sum += in[i + k] / filter[k];\n"
    "    for (int k = 0; k < 1000; k++)\n"
    "        sum += s_tile[threadIdx.x][k];\n"
    "#pragma unroll\n"
    "    for (int k = 0; k < 1000; k++)\n"
    "        sum += in[i + k] * filter[k];\n"
    "    for (int k = 0; k < 1000; k++)\n"
    "        for (int o = 0; o < 4; o++)\n"
    "            sums[o] += in[i + k + o] * filter[k];\n"
    "    out[i] += sum;\n"
    "}\n"
    "extern \"C\" void solve(const float* in, const float* filter, float* out)\n"
    "{\n"
    "    cudaMemcpy(out, in, 4, cudaMemcpyDefault);\n"
    "    blur<<<1000, 256>>>(in, filter, out);\n"
    "    cudaMalloc(&out, 4);\n"
    "}\n";

enum {
    WARPS = 8000,
    TURNS = 1000,
    KERNEL_LINE = 2,
    FOR_LINE = 7,
    LOOP_LINE = 8,
    STORE_LINE = 9,
    DIVIDING_LINE = 11,
    TILE_LINE = 13,
    UNROLLED_LINE = 16,
    TAPS_LINE = 17,
    SUMS_LINE = 19,
    ADDING_LINE = 20,
    COPY_LINE = 24,
    LAUNCH_LINE = 25,
    MALLOC_LINE = 26
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
    operations = call_s = 0;
    problem = (Problem){.separable = false};
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

/* Explains and advises with the seconds that the model gives, as the device would. */
static size_t examine(void)
{
    KernelModel model;
    Explanation draft = {.profile = &profile, .hardware = &h200};
    kernel_model(&draft, 0, &model);
    kernel()->seconds = kernel_model_seconds(&model);
    explain(&profile, &h200, call_s, &explanation);
    const AdviceSubject subject = {.source = source, .problem = &problem, .sizes = &sizes, .operations = operations};
    size_t count = advisor_find(&explanation, &subject, advice);
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

/* It has 32 columns, so each access takes 32 wavefronts. */
static void read_a_column_of_a_tile(void)
{
    profile.lines[0].counts.line = TILE_LINE;
    ADD(LOOP_LINE, shared_load_wavefronts, 31ull * WARPS * TURNS / 2);
}

static void scatter_stores_of_several_sums(void)
{
    profile.lines[1].counts.line = SUMS_LINE;
    ADD(STORE_LINE, global_store_requests, (uint64_t)WARPS * TURNS);
    ADD(STORE_LINE, global_store_sectors, 32ull * WARPS * TURNS);
    ADD(STORE_LINE, global_store_bytes, 128ull * WARPS * TURNS);
}

static void reread_global_memory(void)
{
    ADD(LOOP_LINE, global_load_requests, 6ull * WARPS * TURNS);
    ADD(LOOP_LINE, global_load_sectors, 24ull * WARPS * TURNS);
    ADD(LOOP_LINE, global_load_bytes, 768ull * WARPS * TURNS);
    line(LOOP_LINE)->ideal_load_sectors = 24ull * WARPS * TURNS;
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

static void keep_a_long_filter_in_constant_memory(void)
{
    kernel()->constant_bytes = 8192;
    kernel()->uniform_constant_loads = true;
    kernel()->longest.constant_loads = 2048;
    ADD(LOOP_LINE, constant_requests, (uint64_t)WARPS * TURNS);
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

static void divide(void)
{
    line(LOOP_LINE)->divisions = 32ull * WARPS * TURNS;
    ADD(LOOP_LINE, integer, 32ull * WARPS * TURNS);
}

static void compute_indices(void)
{
    ADD(LOOP_LINE, integer, 12ull * 32 * WARPS * TURNS);
    ADD(LOOP_LINE, lane_instructions, 12ull * 32 * WARPS * TURNS);
    ADD(LOOP_LINE, warp_instructions, 12ull * WARPS * TURNS);
    kernel()->longest.instructions += 12 * TURNS;
    profile.lines[0].counts.line = UNROLLED_LINE;
}

static void wait_at_every_turn(void)
{
    ADD(LOOP_LINE, barriers, 2ull * WARPS * TURNS);
}

static void take_all_shared_memory(void)
{
    kernel()->shape.dynamic_shared_bytes = 200000;
    kernel()->shape.block[0] = 64;
    kernel()->shape.grid[0] = 4000;
}

static void start_eight_blocks(void)
{
    kernel()->shape.grid[0] = 8;
}

static void run_for_different_turns(void)
{
    profile.lines[1].counts.line = FOR_LINE;
    kernel()->counters.lane_instructions /= 3;
    profile.lines[1].counts.counters.divergent_branches = (uint64_t)WARPS * TURNS;
}

static void let_one_warp_do_most(void)
{
    kernel()->longest = (SimWarpPath){4000 * TURNS, 2, 500 * TURNS, 0};
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

static void take_square_blocks(void)
{
    take_blocks_of(16);
    kernel()->shape.block[0] = kernel()->shape.block[1] = 4;
}

static void take_blocks_of_32(void)
{
    take_blocks_of(32);
}

static void end_with_a_short_wave(void)
{
    kernel()->shape.grid[0] = 1204; /* 132 multiprocessors hold 8 blocks each */
    know_machine_code();
    kernel()->machine.waiting = 20;
}

static void load_taps_from_global_memory(void)
{
    ADD(LOOP_LINE, warp_instructions, 6ull * WARPS * TURNS);
    ADD(LOOP_LINE, lane_instructions, 6ull * 32 * WARPS * TURNS);
    ADD(LOOP_LINE, global_load_requests, 6ull * WARPS * TURNS);
    ADD(LOOP_LINE, global_load_sectors, 6ull * WARPS * TURNS);
    ADD(LOOP_LINE, global_load_wavefronts, 6ull * WARPS * TURNS);
    line(LOOP_LINE)->ideal_load_sectors = 6ull * WARPS * TURNS;
}

static void turn_without_unrolling(void)
{
    ADD(LOOP_LINE, warp_instructions, 4ull * WARPS * TURNS);
    ADD(LOOP_LINE, lane_instructions, 4ull * 32 * WARPS * TURNS);
    ADD(LOOP_LINE, control, 4ull * 32 * WARPS * TURNS);
    line(LOOP_LINE)->executions = 3ull * WARPS * TURNS;
}

/* The loop over four sums is unrolled by the compiler. */
static void turn_around_sums(void)
{
    turn_without_unrolling();
    profile.lines[0].counts.line = SUMS_LINE;
}

static void divide_floats(void)
{
    profile.lines[0].counts.line = DIVIDING_LINE;
    profile.lines[0].counts.float_divisions = 32ull * WARPS * TURNS;
    profile.lines[0].counts.executions = (uint64_t)WARPS * TURNS;
    kernel()->counters.warp_instructions += 8ull * WARPS * TURNS;
    kernel()->counters.lane_instructions += 8ull * 32 * WARPS * TURNS;
}

static void call_functions(void)
{
    ADD(LOOP_LINE, special, 4ull * 32 * WARPS * TURNS);
}

static void work_more_than_asked(void)
{
    operations = 2 * 96.0 * WARPS * TURNS / 4;
}

static void allocate(void)
{
    profile.allocations = profile.releases = 100;
    call_s = 1e-3;
}

static void launch_often(void)
{
    kernel()->launches = 500;
    kernel()->longest = (SimWarpPath){4, 1, 1, 0};
}

static void launch_two_blocks_often(void)
{
    kernel()->launches = 500;
    kernel()->shape.grid[0] = 2;
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
     "Neighbouring threads read elements of `in` that are far apart, so one access of a warp touches "},
    {let_banks_conflict, "bank_conflicts", LOOP_LINE,
     " would be enough. Pad each row of the array by the number of elements shown below"},
    {reread_global_memory, "several_outputs", LOOP_LINE,
     " neighbouring outputs, kept in registers, so that each element of `in` and each tap of `filter` is loaded once for all"},
    {accumulate_in_global_memory, "global_accumulation", LOOP_LINE,
     ". Keep the sum in a local variable, and store it once at the end"},
    {accumulate_atomically, "global_accumulation", LOOP_LINE, " times by atomic operations. Keep the sum"},
    {spill, "local_memory", LOOP_LINE,
     ". Index it only with constants, in unrolled loops, so that the compiler keeps it in registers"},
    {read_different_constants, "constant_addresses_differ", LOOP_LINE,
     " different constants at once, and constant memory serves one address at a time. Let all"},
    {keep_a_long_filter_in_constant_memory, "constants_too_long", LOOP_LINE,
     "and blocks that read different parts of it evict each other's data. Keep an array of this length in shared"},
    {diverge, "divergence", LOOP_LINE, " threads are active on average. Let whole warps take the same branch"},
    {compute_in_double, "double_precision", LOOP_LINE,
     "This line computes in double precision. Write literals with an f (0.0f)"},
    {divide, "integer_division", LOOP_LINE,
     "instructions. Update the indices by additions, or nest loops over rows and columns"},
    {compute_indices, "too_much_integer", UNROLLED_LINE,
     " integer instructions are executed for every floating-point instruction. Move everything that does not change"},
    {wait_at_every_turn, "needless_barriers", LOOP_LINE,
     "A barrier is needed only between a write to shared memory and a read by another thread: move"},
    {take_all_shared_memory, "low_occupancy", KERNEL_LINE,
     " bytes of shared memory per block). That is too few to hide what they wait for: use half as much shared memory"},
    {start_eight_blocks, "too_few_blocks", LAUNCH_LINE,
     " multiprocessors, so the others are idle. Let each thread do less"},
    {run_for_different_turns, "imbalance_lanes", FOR_LINE,
     "run this loop for different numbers of iterations, and all wait for the slowest: only"},
    {let_one_warp_do_most, "imbalance_blocks", KERNEL_LINE,
     "times as many instructions as the average warp, so most multiprocessors are idle while its block works"},
    {spill_registers, "spills", KERNEL_LINE,
     "memory, which is device memory. Let a thread keep fewer values at a time, or ask for fewer resident blocks in __launch_bounds__"},
    {take_blocks_of_16, "block_shape", LAUNCH_LINE,
     "leave lanes of their last warp without work. Use a multiple of 32, at least 64"},
    {take_blocks_of_32, "block_shape", LAUNCH_LINE,
     "are too small, because a multiprocessor holds only 32 blocks. Use a multiple"},
    {end_with_a_short_wave, "tail", LAUNCH_LINE,
     "Launch 1056 blocks (a whole number of waves), and let each block process several tiles"},
    {turn_without_unrolling, "unrolling", FOR_LINE,
     " other instructions count, compare, branch and compute addresses, and the next load waits for them"},
    {turn_around_sums, "unrolling", TAPS_LINE, "The loop over `k` is not unrolled. For each multiply-add, "},
    {divide_floats, "float_division", DIVIDING_LINE,
     " instructions. Compute the reciprocal once before the loop and multiply by it, or scale"},
    {call_functions, "special_functions", LOOP_LINE,
     " times, and a multiprocessor computes only 16 of these per cycle. Compute values that do not depend on the"},
    {work_more_than_asked, "needless_work", LOOP_LINE, "times as many operations as the problem's formula"},
    {allocate, "allocations", MALLOC_LINE,
     " times, and cudaFree() waits for the device. Allocate once, and keep the memory"},
    {launch_often, "serial_launches", LAUNCH_LINE, ". Let one kernel do the work of several, with a loop"},
    {launch_two_blocks_often, "serial_launches", LAUNCH_LINE,
     "most of them with 2 blocks, which cannot fill 132 multiprocessors. Launch all of these blocks at once"},
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
        assert_true(advice[0].sketch[0] != '\0' && advice[0].name[0] != '\0');
        if (strstr(advice[0].text, mistakes[i].words) == NULL)
            fail_test("%s: %s", mistakes[i].id, advice[0].text);
    }
}

static const struct {
    void (*spoil)(void);
    const char *sketch;
} sketches[] = {
    {read_a_column_of_a_tile,
     "... s_tile...[32 + 1]; // rows of 33 elements: the threads of a warp meet each bank once"},
    {scatter_stores_of_several_sums,
     "// the 4 outputs of a thread are neighbours: one store of 16 bytes, to an aligned address"},
    {compute_in_double, "float ...; // and no double among its operands"},
    {launch_often, "// in the kernel: for (int o = 0; o < 4; o++) with the sum in a register"},
    {take_square_blocks, "dim3 threads(32, 8); // a warp is a row of 32"},
    {work_more_than_asked, "for (int k = 0; k < 1000; k++) // only as many as exist, without padding"},
};

static void sketches_follow_from_the_source_and_the_launch(void **state)
{
    for (size_t i = 0; i < COUNT_OF(sketches); i++) {
        make_healthy();
        sketches[i].spoil();
        if (examine() == 0 || strstr(advice[0].sketch, sketches[i].sketch) == NULL)
            fail_test("row %zu: %s", i, advice[0].sketch);
    }
}

static bool is_advised(const char *id, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(advice[i].id, id) == 0)
            return true;
    return false;
}

/* ---- rules beside others ----------------------------------------------------------------------------------------- */

static void wait_for_each_tile(void)
{
    know_machine_code();
    kernel()->machine.waiting = 4;
    kernel()->shape.grid[0] = 132;
    ADD(LOOP_LINE, barriers, 2ull * WARPS * TURNS);
    ADD(LOOP_LINE, global_load_requests, (uint64_t)WARPS * TURNS);
    ADD(LOOP_LINE, shared_store_requests, (uint64_t)WARPS * TURNS);
}

static void load_single_elements(void)
{
    ADD(LOOP_LINE, shared_load_requests, 6ull * WARPS * TURNS);
    ADD(LOOP_LINE, shared_load_wavefronts, 6ull * WARPS * TURNS);
    ADD(LOOP_LINE, warp_instructions, 6ull * WARPS * TURNS);
    ADD(LOOP_LINE, lane_instructions, 6ull * 32 * WARPS * TURNS);
    line(LOOP_LINE)->ideal_shared_wavefronts += 6ull * WARPS * TURNS;
}

static void wait_for_itself(void)
{
    know_machine_code();
    kernel()->machine.waiting = 40;
    kernel()->registers = 16; /* so that a second sum does not make a second wave */
}

static void read_again_and_again(void)
{
    reread_global_memory();
    kernel()->counters.global_load_wavefronts = 60ull * WARPS * TURNS;
}

static void take_many_registers(void)
{
    know_machine_code();
    kernel()->registers = 128;
    kernel()->machine.waiting = 40;
}

static Expression constant_of(const char *text)
{
    static Arena arena;
    Expression expression;
    Message why = {0};
    if (expression_compile(text, NULL, 0, &arena, &expression, &why) != STATUS_OK)
        fail_test("%s", why.text);
    return expression;
}

/* The problem has a filter of rows x columns taps, and `outputs` outputs. */
static void ask_for(int rank, const char *rows, const char *columns, const char *outputs)
{
    operations = 2 * 96.0 * WARPS * TURNS;
    problem.parameters[0] = (Parameter){.name = "in", .role = ROLE_IN, .rank = 1, .shape = {constant_of("1000")}};
    problem.parameters[1] = (Parameter){
        .name = "filter", .role = ROLE_IN, .rank = rank, .shape = {constant_of(rows), constant_of(columns)}};
    problem.parameters[2] = (Parameter){.name = "out", .role = ROLE_OUT, .rank = 1, .shape = {constant_of(outputs)}};
    problem.parameter_count = 3;
}

static void apply_a_long_filter(void)
{
    ADD(LOOP_LINE, shared_load_requests, 6ull * WARPS * TURNS);
    ADD(LOOP_LINE, shared_load_wavefronts, 6ull * WARPS * TURNS);
    ask_for(1, "1000", "1", "768000");
}

/* Four outputs a thread, of a filter with 40 x 40 taps. */
static void compute_in_one_direction(void)
{
    profile.lines[0].counts.line = SUMS_LINE;
    ADD(STORE_LINE, global_store_bytes, 3 * 128ull * WARPS);
    load_single_elements();
    ask_for(2, "40", "40", "480000");
}

/* 100 launches, each of which adds a few products to all outputs. */
static void add_in_each_launch(void)
{
    kernel()->launches = 100;
    kernel()->shape.grid[0] = 10;
    kernel()->longest = (SimWarpPath){40, 1, 5, 0};
    profile.lines[1].counts.line = ADDING_LINE;
    ask_for(1, "1000", "1", "2560");
}

static void filter_in_one_pass(void)
{
    work_more_than_asked();
    problem.separable = true;
}

static void compute_levels(void)
{
    ADD(LOOP_LINE, fp32, 32ull * 32 * WARPS * TURNS);
    ADD(LOOP_LINE, fma32, 32ull * 32 * WARPS * TURNS);
    problem.tolerance.levels = 1;
}

/* 25 taps in two dimensions, over so many channels of the input and of the output. */
static void multiply_matrices_of(const char *pixels, const char *channels, const char *columns)
{
    ask_for(1, "1", "1", "1");
    problem.parameters[0] = (Parameter){
        .name = "in", .role = ROLE_IN, .rank = 2, .shape = {constant_of("20000"), constant_of(channels)}};
    problem.parameters[1] = (Parameter){.name = "weights",
                                        .role = ROLE_IN,
                                        .rank = 3,
                                        .shape = {constant_of("25"), constant_of(channels), constant_of(columns)}};
    problem.parameters[2] = (Parameter){
        .name = "out", .role = ROLE_OUT, .rank = 2, .shape = {constant_of(pixels), constant_of(columns)}};
    problem.tolerance.sum_factor = 32;
}

static void multiply_matrices(void)
{
    multiply_matrices_of("15000", "32", "64");
}

static void reread_for_two_sums(void)
{
    reread_global_memory();
    profile.lines[0].counts.line = SUMS_LINE;
}

static const struct {
    void (*spoil)(void);
    const char *id, *words;
} others[] = {
    {reread_for_two_sums, "several_outputs", " instructions in total. Give each thread "},
    {add_in_each_launch, "serial_launches",
     " to `out`, so that each element is loaded and stored 100 times. Let one launch add all parts, in a local variable"},
    {wait_for_each_tile, "async_copies",
     " one after the other, and all its threads wait at the barrier for each of them. Use "},
    {load_single_elements, "vector_loads", " loads of 4 bytes from shared memory. Load 4 neighbouring elements of "},
    {wait_for_itself, "latency",
     " of the possible warps there is too little other work to hide it. Use two independent accumulators"},
    {read_again_and_again, "reread",
     " loads per multiply-add. Load each tile, and the filter, into shared memory once"},
    {take_many_registers, "low_occupancy",
     ": reduce the number of values that a thread keeps in registers at the same time"},
    {apply_a_long_filter, "fast_convolution",
     ". Transform tiles of `in` and the filter, multiply them, and transform back (overlap-save); for filters of fewer than"},
    {compute_in_one_direction, "register_patch",
     " loads, because a thread has its outputs in one direction only. Let it compute a patch of 4 rows by 8 columns"},
    {filter_in_one_pass, "needless_work",
     " times as many operations as necessary, because the filter is the product of a row and a column. Filter the rows"},
    {compute_levels, "tensor_cores",
     "The float32 units limit the kernel, and the output is rounded to whole levels, for which half precision is exact"},
    {multiply_matrices, "tensor_cores",
     "each output is the dot product of 800 elements of `in` with one of the 64 columns of `weights`. Split each float into "
     "two half-precision numbers, value = high + low, and let the tensor cores add three of the four products"},
};

static void other_rules_speak_where_they_should(void **state)
{
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        make_healthy();
        others[i].spoil();
        size_t count = examine(), at = 0;
        while (at < count && strcmp(advice[at].id, others[i].id) != 0)
            at++;
        if (at == count)
            fail_test("%s: no advice, but %s", others[i].id, count > 0 ? advice[0].id : "none");
        if (strstr(advice[at].text, others[i].words) == NULL)
            fail_test("%s: %s", others[i].id, advice[at].text);
    }
}

static void short_filters_and_those_of_channels_are_not_transformed(void **state)
{
    make_healthy();
    apply_a_long_filter();
    assert_true(is_advised("fast_convolution", examine()));
    ask_for(1, "200", "1", "3840000");
    assert_false(is_advised("fast_convolution", examine()));
    ask_for(1, "1000", "1", "7680000"); /* an output takes a tenth of the taps */
    assert_false(is_advised("fast_convolution", examine()));
}

static void only_products_of_matrices_go_to_tensor_cores_in_halves(void **state)
{
    make_healthy();
    multiply_matrices();
    assert_true(is_advised("tensor_cores", examine()));
    problem.parameters[0].rank = 3; /* each channel of the output has inputs of its own */
    problem.parameters[0].shape[2] = constant_of("64");
    assert_false(is_advised("tensor_cores", examine()));
    multiply_matrices_of("470", "32", "64");
    problem.parameters[2].rank = 3; /* each channel of the input has outputs of its own */
    problem.parameters[2].shape[2] = constant_of("32");
    assert_false(is_advised("tensor_cores", examine()));
    multiply_matrices_of("120000", "32", "8"); /* too narrow */
    assert_false(is_advised("tensor_cores", examine()));
    multiply_matrices_of("15000", "8", "64"); /* too short */
    assert_false(is_advised("tensor_cores", examine()));
    ask_for(2, "40", "40", "480000");
    assert_false(is_advised("tensor_cores", examine()));
}

static void what_tensor_cores_did_or_cannot_do_is_not_advised(void **state)
{
    make_healthy();
    multiply_matrices();
    problem.tolerance.sum_factor = 1; /* not even three products are exact enough */
    assert_false(is_advised("tensor_cores", examine()));
    multiply_matrices();
    operations = 0; /* unknown, and so is how much an output takes */
    assert_false(is_advised("tensor_cores", examine()));
    multiply_matrices();
    ADD(LOOP_LINE, tensor, 1000);
    assert_false(is_advised("tensor_cores", examine()));
}

/* 3000 taps of 4 bytes in constant memory would be slower than where they are. */
static void a_change_that_loses_is_not_advised(void **state)
{
    make_healthy();
    load_taps_from_global_memory();
    size_t count = examine();
    assert_true(is_advised("several_outputs", count));
    assert_false(is_advised("constant_filter", count));
}

static void shared_memory_that_a_tile_fills_is_left_alone(void **state)
{
    make_healthy();
    take_all_shared_memory();
    assert_true(is_advised("low_occupancy", examine()));
    ADD(STORE_LINE, shared_store_wavefronts, 4000 * 200000ull / 128);
    assert_false(is_advised("low_occupancy", examine()));
}

/* With fewer registers than it needs at the same time, a thread spills. */
static void registers_that_hold_sums_are_left_alone(void **state)
{
    make_healthy();
    take_many_registers();
    kernel()->live_registers = 40;
    assert_true(is_advised("low_occupancy", examine()));
    kernel()->live_registers = 120;
    assert_false(is_advised("low_occupancy", examine()));
}

static void at_most_five_come_and_the_strongest_first(void **state)
{
    make_healthy();
    for (size_t i = 0; i < COUNT_OF(mistakes); i++)
        mistakes[i].spoil();
    size_t count = examine();
    assert_true(count <= ADVISOR_MOST);
    for (size_t i = 1; i < count; i++)
        assert_true(advice[i - 1].gain >= 0.7 * advice[i].gain); /* or it is less work */
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

/* Rows, or planes, that were launched one by one. */
static void a_larger_grid_has_one_more_dimension(void **state)
{
    make_healthy();
    launch_two_blocks_often();
    assert_true(examine() > 0 &&
                strstr(advice[0].sketch, "dim3 grid(2, 500); // blockIdx.y replaces the counter") != NULL);
    make_healthy();
    launch_two_blocks_often();
    kernel()->shape.grid[1] = 3;
    assert_true(examine() > 0 &&
                strstr(advice[0].sketch, "dim3 grid(2, 3, 500); // blockIdx.z replaces the counter") != NULL);
}

static void launches_that_add_become_a_loop(void **state)
{
    bool found = false;
    make_healthy();
    add_in_each_launch();
    for (size_t i = 0, count = examine(); i < count; i++)
        found |= strstr(advice[i].sketch,
                        "for (...) // the loop that was around the launch\n    sum += ...;\nout[...] = sum;") != NULL;
    assert_true(found);
}

/* An exponential is 16 multiply-adds and one special function. */
static void functions_are_no_needless_work(void **state)
{
    make_healthy();
    work_more_than_asked();
    assert_true(examine() > 0 && strcmp(advice[0].id, "needless_work") == 0);
    make_healthy();
    work_more_than_asked();
    ADD(LOOP_LINE, special, 3ull * 32 * WARPS * TURNS / 16);
    for (size_t i = 0, count = examine(); i < count; i++)
        assert_string_not_equal(advice[i].id, "needless_work");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_healthy_kernel_gets_none),
        cmocka_unit_test(each_mistake_is_named_first_with_its_line),
        cmocka_unit_test(sketches_follow_from_the_source_and_the_launch),
        cmocka_unit_test(other_rules_speak_where_they_should),
        cmocka_unit_test(short_filters_and_those_of_channels_are_not_transformed),
        cmocka_unit_test(only_products_of_matrices_go_to_tensor_cores_in_halves),
        cmocka_unit_test(what_tensor_cores_did_or_cannot_do_is_not_advised),
        cmocka_unit_test(a_change_that_loses_is_not_advised),
        cmocka_unit_test(shared_memory_that_a_tile_fills_is_left_alone),
        cmocka_unit_test(registers_that_hold_sums_are_left_alone),
        cmocka_unit_test(at_most_five_come_and_the_strongest_first),
        cmocka_unit_test(lines_of_headers_are_not_blamed),
        cmocka_unit_test(kernels_in_several_shapes_gain_together),
        cmocka_unit_test(the_bound_and_the_roofline_follow_from_the_counters),
        cmocka_unit_test(the_time_is_the_graded_one),
        cmocka_unit_test(what_limits_the_occupancy_is_named),
        cmocka_unit_test(a_larger_grid_has_one_more_dimension),
        cmocka_unit_test(launches_that_add_become_a_loop),
        cmocka_unit_test(functions_are_no_needless_work),
    };
    return cmocka_run_group_tests(tests, read_hardware, NULL);
}
