#include "simgpu/tests/machine.h"

#include <math.h>
#include <stdlib.h>

static SimGpu *with_one_thread, *with_three_threads, *translating;

static int new_gpus(void **state)
{
    with_one_thread = machine_new(0, 1);
    with_three_threads = machine_new(1, 3);
    translating = machine_new_translating(2, 2);
    return 0;
}

static int free_gpus(void **state)
{
    simgpu_free(with_one_thread);
    simgpu_free(with_three_threads);
    simgpu_free(translating);
    return machine_remove_libraries();
}

/* ---- running a kernel of simgpu/tests/data ----------------------------------------------------------------------- */

typedef struct Kernel {
    SimGpu *gpu;
    SimModule *module;
    SimFunction *function;
} Kernel;

static Kernel load(SimGpu *gpu, const char *file, const char *name)
{
    Kernel kernel = {.gpu = gpu};
    kernel.function = machine_read(gpu, file, name, &kernel.module);
    return kernel;
}

static SimReport launch(const Kernel *kernel, SimLaunch shape, const void *parameters)
{
    SimReport report = {0};
    shape.function = kernel->function;
    shape.parameters = parameters;
    simgpu_launch(kernel->gpu, &shape, &report);
    if (report.outcome != SIM_OK)
        fail_test("outcome %d: %s", report.outcome, report.fault.text);
    assert_true(report.modelled_s > 0 && isfinite(report.modelled_s));
    return report;
}

static SimLaunch shape_1d(uint32_t blocks, uint32_t threads)
{
    return (SimLaunch){.shape.grid = {blocks, 1, 1}, .shape.block = {threads, 1, 1}};
}

/* `count` floats that are small whole numbers: their sums are exact in any order. */
static float *numbers(size_t count, uint32_t seed)
{
    float *array = malloc(count * sizeof *array);
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525 + 1013904223;
        array[i] = (float)(int)(seed >> 28) - 8;
    }
    return array;
}

/* `count` floats between -1 and 1, whose sums depend on the order. */
static float *fractions(size_t count, uint32_t seed)
{
    float *array = malloc(count * sizeof *array);
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525 + 1013904223;
        array[i] = (float)(int32_t)seed / 2147483648.0f;
    }
    return array;
}

static void same_floats(uint64_t address, const float *expected, size_t count)
{
    const float *got = at(address);
    for (size_t i = 0; i < count; i++)
        if (memcmp(&got[i], &expected[i], sizeof *got) != 0)
            fail_test("element %zu: got %.9g, expected %.9g", i, got[i], expected[i]);
}

/* Runs on all GPUs: what is counted and modelled must not depend on the number of threads, nor on the engine. */
static SimReport on_all(SimReport (*run)(SimGpu *gpu))
{
    SimReport one = run(with_one_thread), three = run(with_three_threads), translated = run(translating);
    assert_memory_equal(&one.counters, &three.counters, sizeof one.counters);
    assert_memory_equal(&one.counters, &translated.counters, sizeof one.counters);
    assert_true(one.modelled_s == three.modelled_s);
    assert_true(one.modelled_s == translated.modelled_s);
    return one;
}

/* ---- conv1d ------------------------------------------------------------------------------------------------------ */

enum { OUTPUTS = 4096, TAPS = 37, WARPS = OUTPUTS / 32, INPUTS = OUTPUTS + TAPS - 1 };

typedef struct Convolution {
    float *input, *filter, *expected;
    uint64_t d_input, d_filter, d_output;
} Convolution;

/* In order of the taps, and with fused multiply-adds, as the kernels do it: equal to the last bit. */
static Convolution convolution_new(SimGpu *gpu)
{
    Convolution c = {
        .input = fractions(INPUTS, 1), .filter = fractions(TAPS, 2), .expected = malloc(OUTPUTS * sizeof(float))};
    for (int i = 0; i < OUTPUTS; i++) {
        float sum = 0;
        for (int k = 0; k < TAPS; k++)
            sum = fmaf(c.input[i + k], c.filter[k], sum);
        c.expected[i] = sum;
    }
    c.d_input = machine_array(gpu, c.input, INPUTS * sizeof(float));
    c.d_filter = machine_array(gpu, c.filter, TAPS * sizeof(float));
    c.d_output = machine_array(gpu, NULL, OUTPUTS * sizeof(float));
    return c;
}

static void convolution_check(SimGpu *gpu, Convolution *c)
{
    same_floats(c->d_output, c->expected, OUTPUTS);
    simgpu_release(gpu, c->d_input);
    simgpu_release(gpu, c->d_filter);
    simgpu_release(gpu, c->d_output);
    free(c->input);
    free(c->filter);
    free(c->expected);
}

typedef struct FilterParameters {
    uint64_t input, filter, output;
    int32_t outputs, taps;
} FilterParameters;

static SimReport conv1d_naive(SimGpu *gpu)
{
    Kernel kernel = load(gpu, "conv1d.ptx", "naive");
    Convolution c = convolution_new(gpu);
    FilterParameters parameters = {c.d_input, c.d_filter, c.d_output, OUTPUTS, TAPS};
    SimReport report = launch(&kernel, shape_1d(OUTPUTS / 256 + 1, 256), &parameters); /* one block has nothing to do */
    convolution_check(gpu, &c);
    simgpu_module_unload(gpu, kernel.module);
    return report;
}

static SimReport conv1d_constant(SimGpu *gpu)
{
    Kernel kernel = load(gpu, "conv1d.ptx", "constant");
    Convolution c = convolution_new(gpu);
    uint64_t symbol, bytes;
    assert_true(simgpu_variable(kernel.module, "c_filter", &symbol, &bytes));
    assert_int_equal(bytes, 512 * sizeof(float));
    memcpy(at(symbol), c.filter, TAPS * sizeof(float));
    struct {
        uint64_t input, output;
        int32_t outputs, taps;
    } parameters = {c.d_input, c.d_output, OUTPUTS, TAPS};
    SimReport report = launch(&kernel, shape_1d(OUTPUTS / 256, 256), &parameters);
    convolution_check(gpu, &c);
    simgpu_module_unload(gpu, kernel.module);
    return report;
}

static SimReport conv1d_shared(SimGpu *gpu)
{
    Kernel kernel = load(gpu, "conv1d.ptx", "shared");
    Convolution c = convolution_new(gpu);
    FilterParameters parameters = {c.d_input, c.d_filter, c.d_output, OUTPUTS, TAPS};
    SimLaunch shape = shape_1d(OUTPUTS / 128, 128);
    shape.shape.dynamic_shared_bytes = (128 + TAPS - 1 + TAPS) * sizeof(float);
    SimReport report = launch(&kernel, shape, &parameters);
    convolution_check(gpu, &c);
    simgpu_module_unload(gpu, kernel.module);
    return report;
}

/* In the PTX of the naive kernel a warp executes 25 instructions and 8 a tap; one with nothing to do, 12. */
static void conv1d_naive_counts(void **state)
{
    SimCounters c = on_all(conv1d_naive).counters;
    assert_int_equal(c.fma32, OUTPUTS * TAPS);
    assert_int_equal(c.fp32, OUTPUTS * TAPS);
    assert_int_equal(c.warp_instructions, WARPS * (25 + 8 * TAPS) + 8 * 12);
    assert_int_equal(c.lane_instructions, 32 * c.warp_instructions);
    assert_int_equal(c.global_load_requests, WARPS * 2 * TAPS);
    assert_int_equal(c.global_load_bytes, WARPS * 2 * TAPS * 128);
    /* A tap reads the filter, 1 sector, and 32 floats: 4 sectors where they start at one, every eighth tap, else 5. */
    assert_int_equal(c.global_load_sectors, WARPS * (TAPS + 5 * TAPS - (TAPS + 7) / 8));
    assert_int_equal(c.global_store_requests, WARPS);
    assert_int_equal(c.global_store_sectors, WARPS * 4);
    assert_int_equal(c.global_store_bytes, OUTPUTS * 4);
    assert_in_range(c.unique_load_sectors, INPUTS / 8, (INPUTS + TAPS) / 8 + 4);
    assert_in_range(c.unique_store_sectors, OUTPUTS / 8, OUTPUTS / 8 + 2);
    assert_int_equal(c.divergent_branches, 0);
    assert_int_equal(c.barriers + c.constant_requests + c.shared_load_requests + c.local_requests + c.fp64, 0);
}

static void conv1d_constant_counts(void **state)
{
    SimCounters c = on_all(conv1d_constant).counters;
    assert_int_equal(c.fma32, OUTPUTS * TAPS);
    assert_int_equal(c.constant_requests, WARPS * TAPS);
    assert_int_equal(c.constant_replays, 0);
    assert_int_equal(c.global_load_requests, WARPS * TAPS);
}

static void conv1d_shared_counts(void **state)
{
    SimCounters c = on_all(conv1d_shared).counters;
    assert_int_equal(c.fma32, OUTPUTS * TAPS);
    assert_int_equal(c.barriers, WARPS);
    assert_int_equal(c.shared_load_requests, WARPS * 2 * TAPS);
    assert_int_equal(c.shared_load_wavefronts, WARPS * 2 * TAPS); /* rows and broadcasts have no conflict */
    assert_int_equal(c.global_load_bytes, OUTPUTS / 128 * (128 + TAPS - 1 + TAPS) * 4);
}

/* ---- conv2d ------------------------------------------------------------------------------------------------------ */

enum { ROWS = 50, COLS = 71, FILTER_ROWS = 5, FILTER_COLS = 7, OUT_ROWS = ROWS - 4, OUT_COLS = COLS - 6 };

static void conv2d_plain(const float *input, const float *filter, float *output)
{
    for (int row = 0; row < OUT_ROWS; row++)
        for (int col = 0; col < OUT_COLS; col++) {
            float sum = 0;
            for (int r = 0; r < FILTER_ROWS; r++)
                for (int c = 0; c < FILTER_COLS; c++)
                    sum = fmaf(input[(row + r) * COLS + col + c], filter[r * FILTER_COLS + c], sum);
            output[row * OUT_COLS + col] = sum;
        }
}

static SimReport conv2d_tiled(SimGpu *gpu)
{
    Kernel kernel = load(gpu, "conv2d.ptx", "tiled");
    float *input = fractions(ROWS * COLS, 3), *filter = fractions(FILTER_ROWS * FILTER_COLS, 4);
    float *expected = malloc(OUT_ROWS * OUT_COLS * sizeof *expected);
    conv2d_plain(input, filter, expected);
    struct {
        uint64_t input, filter, output;
        int32_t rows, cols, filter_rows, filter_cols;
    } parameters = {machine_array(gpu, input, ROWS * COLS * sizeof(float)),
                    machine_array(gpu, filter, FILTER_ROWS * FILTER_COLS * sizeof(float)),
                    machine_array(gpu, NULL, OUT_ROWS * OUT_COLS * sizeof(float)),
                    ROWS,
                    COLS,
                    FILTER_ROWS,
                    FILTER_COLS};
    SimLaunch shape = {.shape.grid = {(OUT_COLS + 15) / 16, (OUT_ROWS + 15) / 16, 1}, .shape.block = {16, 16, 1}};
    SimReport report = launch(&kernel, shape, &parameters);
    same_floats(parameters.output, expected, OUT_ROWS * OUT_COLS);
    simgpu_release(gpu, parameters.input);
    simgpu_release(gpu, parameters.filter);
    simgpu_release(gpu, parameters.output);
    simgpu_module_unload(gpu, kernel.module);
    free(input);
    free(filter);
    free(expected);
    return report;
}

static void conv2d_tiled_counts(void **state)
{
    enum { BLOCKS = (OUT_COLS + 15) / 16 * ((OUT_ROWS + 15) / 16) };
    SimCounters c = on_all(conv2d_tiled).counters;
    assert_int_equal(c.fma32, OUT_ROWS * OUT_COLS * FILTER_ROWS * FILTER_COLS);
    assert_int_equal(c.barriers, BLOCKS * 8);
    assert_int_equal(c.global_store_bytes, OUT_ROWS * OUT_COLS * 4);
    assert_true(c.divergent_branches > 0); /* the halo takes part of a warp */
}

/* ---- reductions -------------------------------------------------------------------------------------------------- */

enum { SUMMED = 5000, SUM_THREADS = 256, SUM_BLOCKS = (SUMMED + SUM_THREADS - 1) / SUM_THREADS };

static SimReport reduction_with_shuffles(SimGpu *gpu)
{
    Kernel kernel = load(gpu, "reduction.ptx", "with_shuffles");
    float *input = numbers(SUMMED, 5), expected[SUM_BLOCKS] = {0};
    for (int i = 0; i < SUMMED; i++)
        expected[i / SUM_THREADS] += input[i];
    struct {
        uint64_t input, sums;
        int32_t count;
    } parameters = {machine_array(gpu, input, SUMMED * sizeof(float)), machine_array(gpu, NULL, sizeof expected),
                    SUMMED};
    SimReport report = launch(&kernel, shape_1d(SUM_BLOCKS, SUM_THREADS), &parameters);
    same_floats(parameters.sums, expected, SUM_BLOCKS);
    simgpu_release(gpu, parameters.input);
    simgpu_release(gpu, parameters.sums);
    simgpu_module_unload(gpu, kernel.module);
    free(input);
    return report;
}

static SimReport reduction_with_groups(SimGpu *gpu)
{
    Kernel kernel = load(gpu, "reduction.ptx", "with_groups");
    int32_t input[SUMMED], expected[SUM_BLOCKS] = {0};
    for (int i = 0; i < SUMMED; i++) {
        input[i] = i * 7919 % 1000 - 500;
        expected[i / SUM_THREADS] += input[i];
    }
    struct {
        uint64_t input, sums;
        int32_t count;
    } parameters = {machine_array(gpu, input, sizeof input), machine_array(gpu, NULL, sizeof expected), SUMMED};
    SimReport report = launch(&kernel, shape_1d(SUM_BLOCKS, SUM_THREADS), &parameters);
    assert_memory_equal(at(parameters.sums), expected, sizeof expected);
    simgpu_release(gpu, parameters.input);
    simgpu_release(gpu, parameters.sums);
    simgpu_module_unload(gpu, kernel.module);
    return report;
}

static void reductions_count(void **state)
{
    SimCounters c = on_all(reduction_with_shuffles).counters;
    /* Five additions a lane in every warp, five more in the first of each block. */
    assert_int_equal(c.fp32, SUM_BLOCKS * (SUM_THREADS + 32) * 5);
    assert_int_equal(c.barriers, SUM_BLOCKS * SUM_THREADS / 32);
    assert_int_equal(c.global_load_bytes, SUMMED * 4);
    assert_int_equal(c.global_store_requests, SUM_BLOCKS);
    c = on_all(reduction_with_groups).counters;
    assert_int_equal(c.atomic_lanes, SUM_BLOCKS * SUM_THREADS / 16);
}

/* ---- asynchronous copies and atomics ----------------------------------------------------------------------------- */

enum { TILES = 5, TILE = 256, PIPES = 7 };

static SimReport pipeline(SimGpu *gpu)
{
    Kernel kernel = load(gpu, "pipeline.ptx", "pipeline");
    float *input = fractions(PIPES * TILES * TILE, 6), *expected = malloc(PIPES * TILES * TILE * sizeof(float));
    for (int i = 0; i < PIPES * TILES * TILE; i++)
        expected[i] = 2 * input[i];
    struct {
        uint64_t input, output;
        int32_t tiles;
    } parameters = {machine_array(gpu, input, PIPES * TILES * TILE * sizeof(float)),
                    machine_array(gpu, NULL, PIPES * TILES * TILE * sizeof(float)), TILES};
    SimReport report = launch(&kernel, shape_1d(PIPES, TILE), &parameters);
    same_floats(parameters.output, expected, PIPES * TILES * TILE);
    simgpu_release(gpu, parameters.input);
    simgpu_release(gpu, parameters.output);
    simgpu_module_unload(gpu, kernel.module);
    free(input);
    free(expected);
    return report;
}

static void asynchronous_copies_arrive(void **state)
{
    SimCounters c = on_all(pipeline).counters;
    assert_int_equal(c.barriers, PIPES * TILES * 2 * TILE / 32);
    assert_int_equal(c.global_load_bytes, PIPES * TILES * TILE * 4);
    assert_int_equal(c.global_load_requests, PIPES * TILES * 2); /* two warps of 16 bytes a lane */
    assert_int_equal(c.global_load_sectors, PIPES * TILES * TILE / 8);
}

enum { BYTES = 10000 };

static SimReport histogram_from(SimGpu *gpu, const char *file)
{
    Kernel kernel = load(gpu, file, "histogram");
    unsigned char input[BYTES];
    uint32_t expected[256] = {0};
    for (int i = 0; i < BYTES; i++) {
        input[i] = (unsigned char)(i * i % 251);
        expected[input[i]]++;
    }
    struct {
        uint64_t input, counts;
        int32_t bytes;
    } parameters = {machine_array(gpu, input, BYTES), machine_array(gpu, NULL, sizeof expected), BYTES};
    SimReport report = launch(&kernel, shape_1d(9, 128), &parameters);
    assert_memory_equal(at(parameters.counts), expected, sizeof expected);
    simgpu_release(gpu, parameters.input);
    simgpu_release(gpu, parameters.counts);
    simgpu_module_unload(gpu, kernel.module);
    return report;
}

static SimReport histogram(SimGpu *gpu)
{
    return histogram_from(gpu, "histogram.ptx");
}

/* Of nvcc 13.0, 12.4 and 11.8. */
static const char *const fatbins[] = {"histogram.fatbin", "histogram_of_12.fatbin", "histogram_of_11.fatbin"};
static const char *its_fatbin;

static SimReport histogram_in_a_fatbin(SimGpu *gpu)
{
    return histogram_from(gpu, its_fatbin);
}

static void atomics_lose_nothing(void **state)
{
    SimCounters c = on_all(histogram).counters;
    assert_int_equal(c.atomic_lanes, BYTES + 9 * 256);
    assert_int_equal(c.global_load_bytes, BYTES);
}

static void a_fatbin_runs_like_its_ptx(void **state)
{
    its_fatbin = fatbins[0];
    SimCounters from_ptx = on_all(histogram).counters, from_fatbin = on_all(histogram_in_a_fatbin).counters;
    assert_memory_equal(&from_ptx, &from_fatbin, sizeof from_ptx);
}

static void fatbins_of_older_compilers_run(void **state)
{
    for (size_t i = 1; i < COUNT_OF(fatbins); i++) {
        its_fatbin = fatbins[i];
        SimCounters c = on_all(histogram_in_a_fatbin).counters;
        assert_int_equal(c.atomic_lanes, BYTES + 9 * 256);
        assert_int_equal(c.global_load_bytes, BYTES);
    }
}

/* `ptxas -v` of each version says 12 registers and 1024 bytes of shared memory for the kernel in the fatbin. */
static void what_is_known_of_a_kernel_comes_from_its_cubin(void **state)
{
    for (size_t i = 0; i < COUNT_OF(fatbins); i++) {
        Kernel kernel = load(with_one_thread, fatbins[i], "histogram");
        SimFunctionInfo info;
        simgpu_function_info(kernel.function, &info);
        assert_string_equal(info.name, "histogram");
        assert_int_equal(info.registers, 12);
        assert_int_equal(info.static_shared_bytes, 1024);
        assert_int_equal(info.parameter_count, 3);
        assert_int_equal(info.parameter_bytes, 20);
        assert_int_equal(info.parameter_offsets[2], 16);
        assert_int_equal(info.parameter_sizes[2], 4);
        assert_false(info.uniform_constant_loads);
        simgpu_module_unload(with_one_thread, kernel.module);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conv1d_naive_counts),
        cmocka_unit_test(conv1d_constant_counts),
        cmocka_unit_test(conv1d_shared_counts),
        cmocka_unit_test(conv2d_tiled_counts),
        cmocka_unit_test(reductions_count),
        cmocka_unit_test(asynchronous_copies_arrive),
        cmocka_unit_test(atomics_lose_nothing),
        cmocka_unit_test(a_fatbin_runs_like_its_ptx),
        cmocka_unit_test(fatbins_of_older_compilers_run),
        cmocka_unit_test(what_is_known_of_a_kernel_comes_from_its_cubin),
    };
    return cmocka_run_group_tests(tests, new_gpus, free_gpus);
}
