/* Whole kernels in less than float32 (data/precision.cu), against sums in double.  */
#include "simgpu/tests/one_gpu.h"

#include <math.h>

static SimReport launch(SimFunction *function, unsigned grid_x, unsigned grid_y, unsigned threads,
                        const void *parameters)
{
    SimReport report = {0};
    SimLaunch request = {.function = function,
                         .shape.grid = {grid_x, grid_y, 1},
                         .shape.block = {threads, 1, 1},
                         .parameters = parameters,
                         .warp_instructions = 10000000};
    simgpu_launch(gpu, &request, &report);
    if (report.outcome != SIM_OK)
        fail_test("%s", report.fault.text);
    return report;
}

/* Small numbers of a few digits, the same in every run. */
static double number(unsigned i)
{
    return ((int)(i * 2654435761u >> 20) % 257 - 128) / 64.0;
}

static uint64_t halves(unsigned count, unsigned seed)
{
    uint64_t address = machine_array(gpu, NULL, count * sizeof(_Float16));
    for (unsigned i = 0; i < count; i++)
        ((_Float16 *)at(address))[i] = (_Float16)number(i + seed);
    return address;
}

static void a_tiled_product_is_exact_to_the_sums_roundings(void **state)
{
    enum { N = 64 };
    SimModule *module;
    SimFunction *function = machine_read(gpu, "precision.ptx", "product", &module);
    struct {
        uint64_t a, b, c;
        int n;
    } parameters = {halves(N * N, 1), halves(N * N, 9999), machine_array(gpu, NULL, N * N * sizeof(float)), N};
    SimReport report = launch(function, N / 32, N / 32, 128, &parameters);
    const _Float16 *a = at(parameters.a), *b = at(parameters.b);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0, magnitude = 0;
            for (int k = 0; k < N; k++) {
                sum += (double)a[i * N + k] * (double)b[k * N + j];
                magnitude += fabs((double)a[i * N + k] * (double)b[k * N + j]);
            }
            float got = ((const float *)at(parameters.c))[i * N + j];
            if (!(fabs(got - sum) <= magnitude * N / 16 * 0x1p-22)) /* a sum of 16 is cut off to 24 bits */
                fail_test("element %d, %d: got %g, expected %g", i, j, got, sum);
        }
    assert_int_equal(report.counters.tensor, N * N * N);
    simgpu_module_unload(gpu, module);
}

static void fragments_of_all_layouts_fit_together(void **state)
{
    enum { M = 8, N = 32, K = 16 };
    SimModule *module;
    SimFunction *function = machine_read(gpu, "precision.ptx", "mixed", &module);
    struct {
        uint64_t a, b, c;
    } parameters = {machine_array(gpu, NULL, M * K * 2), machine_array(gpu, NULL, K * N * 2),
                    machine_array(gpu, NULL, M * N * sizeof(float))};
    uint16_t *a = at(parameters.a), *b = at(parameters.b);
    float *c = at(parameters.c), before[M * N];
    for (int i = 0; i < M * K; i++)
        a[i] = (uint16_t)(0x3F80 + i % 128); /* 1 + i/128 */
    for (int i = 0; i < K * N; i++)
        b[i] = (uint16_t)(0x3F80 + i * 7 % 128);
    for (int i = 0; i < M * N; i++)
        c[i] = before[i] = (float)i;
    launch(function, 1, 1, 32, &parameters);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double sum = before[j * M + i];
            for (int k = 0; k < K; k++)
                sum += (1 + (k * M + i) % 128 / 128.0) * (1 + (k * N + j) * 7 % 128 / 128.0);
            assert_true(c[j * M + i] == (float)(2 * sum)); /* few enough digits to be exact */
        }
    simgpu_module_unload(gpu, module);
}

static void pairs_of_halves_convolve_like_single_ones(void **state)
{
    enum { COUNT = 100, TAPS = 5 };
    SimModule *module;
    SimFunction *function = machine_read(gpu, "precision.ptx", "pairs", &module);
    struct {
        uint64_t input, filter, output;
        int taps, count;
    } parameters = {halves(2 * COUNT + TAPS, 3), halves(TAPS, 77), machine_array(gpu, NULL, COUNT * 4), TAPS, COUNT};
    launch(function, 2, 1, 64, &parameters);
    const _Float16 *input = at(parameters.input), *filter = at(parameters.filter), *output = at(parameters.output);
    for (int i = 0; i < 2 * COUNT; i++) {
        _Float16 sum = 0;
        for (int j = 0; j < TAPS; j++) /* exact in double, so rounded once, as fma is */
            sum = (_Float16)((double)input[i + j] * (double)filter[j] + (double)sum);
        assert_memory_equal(&output[i], &sum, sizeof sum);
    }
    simgpu_module_unload(gpu, module);
}

static void tiles_add_up_what_a_barrier_let_through(void **state)
{
    enum { BLOCKS = 3, THREADS = 256 };
    SimModule *module;
    SimFunction *function = machine_read(gpu, "precision.ptx", "sums", &module);
    int input[BLOCKS * THREADS];
    for (int i = 0; i < BLOCKS * THREADS; i++)
        input[i] = i * i % 1009;
    uint64_t parameters[] = {machine_array(gpu, input, sizeof input),
                             machine_array(gpu, NULL, BLOCKS * 16 * sizeof(int))};
    launch(function, BLOCKS, 1, THREADS, parameters);
    const int *output = at(parameters[1]);
    for (int block = 0; block < BLOCKS; block++)
        for (int tile = 0; tile < 16; tile++) {
            int sum = 0;
            for (int i = 0; i < 16; i++)
                sum += input[block * THREADS + 255 - tile * 16 - i];
            assert_int_equal(output[block * 16 + tile], sum);
        }
    simgpu_module_unload(gpu, module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tiled_product_is_exact_to_the_sums_roundings),
        cmocka_unit_test(fragments_of_all_layouts_fit_together),
        cmocka_unit_test(pairs_of_halves_convolve_like_single_ones),
        cmocka_unit_test(tiles_add_up_what_a_barrier_let_through),
    };
    return cmocka_run_group_tests(tests, new_gpu, free_gpu);
}
