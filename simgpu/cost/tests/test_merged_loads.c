#include "simgpu/tests/machine.h"

enum { THREADS = 64 }; /* at most */

/* Counted by hand, for two warps: four loads of 4 bytes, or one of 16 bytes, which each half of a warp does
 * separately. */
static const struct {
    const char *kernel;
    uint32_t threads;
    uint64_t requests, wavefronts;
} kernels[] = {
    {"aligned", 64, 2, 4}, {"aligned", 48, 2, 3}, {"uniform", 64, 2, 4}, {"uniform", 48, 2, 3}, {"apart", 64, 8, 8},
};

static void launch(SimGpu *gpu, size_t i, uint32_t flags, SimReport *report)
{
    SimModule *module;
    SimFunction *function = machine_read(gpu, "merged.fatbin", kernels[i].kernel, &module);
    uint64_t from = machine_array(gpu, NULL, THREADS * sizeof(float));
    uint64_t to = machine_array(gpu, NULL, THREADS * sizeof(float));
    SimLaunch request = {.function = function,
                         .shape.grid = {1, 1, 1},
                         .shape.block = {kernels[i].threads, 1, 1},
                         .parameters = (uint64_t[]){from, to},
                         .flags = flags};
    simgpu_launch(gpu, &request, report);
    assert_int_equal(report->outcome, SIM_OK);
    simgpu_module_unload(gpu, module);
}

static void check(SimGpu *gpu, uint32_t flags)
{
    for (size_t i = 0; i < COUNT_OF(kernels); i++) {
        SimReport report = {0};
        launch(gpu, i, flags, &report);
        if (report.counters.shared_load_requests != kernels[i].requests ||
            report.counters.shared_load_wavefronts != kernels[i].wavefronts)
            fail_test("%s<<<1, %u>>>: %llu requests, %llu wavefronts; expected %llu, %llu", kernels[i].kernel,
                      kernels[i].threads, (unsigned long long)report.counters.shared_load_requests,
                      (unsigned long long)report.counters.shared_load_wavefronts,
                      (unsigned long long)kernels[i].requests, (unsigned long long)kernels[i].wavefronts);
    }
}

static void loads_that_ptxas_merges_count_once(void **state)
{
    SimGpu *gpu = machine_new(0, 1);
    check(gpu, 0);
    check(gpu, SIM_COUNT_LINES);
    simgpu_free(gpu);
}

static void the_translator_counts_them_alike(void **state)
{
    SimGpu *gpu = machine_new_translating(1, 1);
    check(gpu, 0);
    simgpu_free(gpu);
    assert_int_equal(machine_remove_libraries(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_that_ptxas_merges_count_once),
        cmocka_unit_test(the_translator_counts_them_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
