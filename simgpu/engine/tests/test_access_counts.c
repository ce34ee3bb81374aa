#include "simgpu/tests/one_gpu.h"

/* What one warp of a kernel of access.cu counts. */
static SimCounters one_warp(const char *name, const void *parameters)
{
    SimModule *module;
    SimReport report;
    SimLaunch launch = {.function = machine_read(gpu, "access.ptx", name, &module),
                        .shape.grid = {1, 1, 1},
                        .shape.block = {32, 1, 1},
                        .parameters = parameters};
    simgpu_launch(gpu, &launch, &report);
    if (report.outcome != SIM_OK)
        fail_test("%s: outcome %d: %s", name, report.outcome, report.fault.text);
    simgpu_module_unload(gpu, module);
    return report.counters;
}

static void global_sectors_follow_the_stride(void **state)
{
    static const struct {
        int32_t stride, offset, sectors;
    } rows[] = {{1, 0, 4}, {1, 1, 5}, {1, 7, 5}, {1, 8, 4}, {0, 0, 1}, {2, 0, 8}, {8, 0, 32}, {32, 0, 32}, {-1, 31, 4}};
    float data[1024];
    for (int i = 0; i < 1024; i++)
        data[i] = (float)i;
    uint64_t input = machine_array(gpu, data, sizeof data);
    uint64_t output = machine_array(gpu, NULL, 32 * sizeof(float));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct {
            uint64_t input, output;
            int32_t stride, offset;
        } parameters = {input, output, rows[i].stride, rows[i].offset};
        SimCounters c = one_warp("global_stride", &parameters);
        if (c.global_load_requests != 1 || c.global_load_sectors != (uint64_t)rows[i].sectors)
            fail_test("row %zu: %llu sectors", i, (unsigned long long)c.global_load_sectors);
        for (int t = 0; t < 32; t++)
            assert_true(((float *)at(output))[t] == data[t * rows[i].stride + rows[i].offset]);
    }
    simgpu_release(gpu, input);
    simgpu_release(gpu, output);
}

static void bank_conflicts_follow_the_stride(void **state)
{
    static const struct {
        int32_t stride;
        uint64_t wavefronts;
    } rows[] = {{0, 1}, {1, 1}, {2, 2}, {3, 1}, {4, 4}, {8, 8}, {16, 16}, {32, 32}, {33, 1}};
    uint64_t output = machine_array(gpu, NULL, 32 * sizeof(float));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct {
            uint64_t output;
            int32_t stride;
        } parameters = {output, rows[i].stride};
        SimCounters c = one_warp("shared_stride", &parameters);
        if (c.shared_load_requests != 1 || c.shared_load_wavefronts != rows[i].wavefronts)
            fail_test("stride %d: %llu wavefronts", rows[i].stride, (unsigned long long)c.shared_load_wavefronts);
        assert_int_equal(c.shared_store_wavefronts, c.shared_store_requests);
    }
    simgpu_release(gpu, output);
}

static void constant_replays_follow_the_stride(void **state)
{
    static const struct {
        int32_t stride;
        uint64_t replays;
    } rows[] = {{0, 0}, {1, 31}, {64, 15}, {512, 1}}; /* modulo 1024: 1, 32, 16 and 2 distinct addresses */
    uint64_t output = machine_array(gpu, NULL, 32 * sizeof(float));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct {
            uint64_t output;
            int32_t stride;
        } parameters = {output, rows[i].stride};
        SimCounters c = one_warp("constant_stride", &parameters);
        if (c.constant_requests != 1 || c.constant_replays != rows[i].replays)
            fail_test("stride %d: %llu replays", rows[i].stride, (unsigned long long)c.constant_replays);
    }
    simgpu_release(gpu, output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(global_sectors_follow_the_stride),
        cmocka_unit_test(bank_conflicts_follow_the_stride),
        cmocka_unit_test(constant_replays_follow_the_stride),
    };
    return cmocka_run_group_tests(tests, new_gpu, free_gpu);
}
