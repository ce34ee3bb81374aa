#include "base/tests/unit.h"

#include "harness/device/launch_check.h"

#include <string.h>

/* The limits of an H200 that matter here. */
static const DeviceInfo DEVICE = {
    .warp_size = 32,
    .max_threads_per_block = 1024,
    .max_block = {1024, 1024, 64},
    .max_grid = {2147483647, 65535, 65535},
    .registers_per_block = 65536,
    .shared_bytes_per_block = 49152,
    .shared_bytes_per_block_optin = 232448,
};

static const DeviceFunctionInfo KERNEL = {
    .registers = 32,
    .static_shared_bytes = 1024,
    .max_threads_per_block = 1024,
    .max_dynamic_shared_bytes = 48128,
};

static void launches_are_refused_with_the_limit_they_break(void **state)
{
    static const struct {
        uint32_t grid[3], block[3], shared, registers, bound;
        CudaError error;
        const char *hint;
    } cases[] = {
        {{1, 1, 1}, {1024, 1, 1}, 48128, 32, 1024, 0, ""},
        {{2147483647, 65535, 65535}, {16, 1, 64}, 0, 32, 1024, 0, ""},
        {{1, 1, 1}, {2048, 1, 1}, 0, 32, 1024, 1, "2048 threads per block, at most 1024"},
        {{1, 1, 1}, {64, 64, 1}, 0, 32, 1024, 1, "4096 threads per block, at most 1024"},
        {{1, 1, 1}, {65536, 65536, 1}, 0, 32, 1024, 1, "4294967296 threads per block, at most 1024"},
        {{0, 1, 1}, {32, 1, 1}, 0, 32, 1024, 1, "0 in grid.x, at least 1"},
        {{1, 1, 1}, {32, 0, 1}, 0, 32, 1024, 1, "0 in block.y, at least 1"},
        {{1, 70000, 1}, {32, 1, 1}, 0, 32, 1024, 1, "70000 in grid.y, at most 65535"},
        {{1, 1, 1}, {1, 1, 65}, 0, 32, 1024, 1, "65 in block.z, at most 64"},
        {{1, 1, 1},
         {512, 1, 1},
         0,
         32,
         256,
         1,
         "512 threads per block of a kernel with __launch_bounds__, at most 256"},
        {{1, 1, 1}, {1024, 1, 1}, 0, 64, 1024, 0, ""},
        {{1, 1, 1}, {1024, 1, 1}, 0, 65, 1024, 701, "73728 registers per block, at most 65536"},
        {{1, 1, 1},
         {32, 1, 1},
         60000,
         32,
         1024,
         1,
         "60000 bytes of dynamic shared memory, at most 48128 unless "
         "cudaFuncSetAttribute(cudaFuncAttributeMaxDynamicSharedMemorySize) allows more"},
        {{1, 1, 1}, {32, 1, 1}, 300000, 32, 1024, 1, "301024 bytes of shared memory per block, at most 232448"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        DeviceFunctionInfo function = KERNEL;
        DeviceLaunch launch = {.dynamic_shared_bytes = cases[i].shared};
        char hint[200];
        function.registers = cases[i].registers;
        function.max_threads_per_block = cases[i].bound;
        memcpy(launch.grid, cases[i].grid, sizeof launch.grid);
        memcpy(launch.block, cases[i].block, sizeof launch.block);
        CudaError error = launch_check(&DEVICE, &function, &launch, hint, sizeof hint);
        if (error != cases[i].error || strcmp(hint, cases[i].hint) != 0)
            fail_test("case %zu: error %d, hint '%s'", i, error, hint);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_are_refused_with_the_limit_they_break),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
