#include "base/tests/unit.h"

#include "simgpu/cost/cost.h"
#include "simgpu/cost/launch_limits.h"

#include <string.h>

/* The limits of an H200 that matter here. */
static const HardwareProfile H200 = {
    .max_threads_per_block = 1024,
    .max_threads_per_multiprocessor = 2048,
    .max_blocks_per_multiprocessor = 32,
    .max_block = {1024, 1024, 64},
    .max_grid = {2147483647, 65535, 65535},
    .registers_per_multiprocessor = 65536,
    .max_registers_per_thread = 255,
    .register_allocation_unit = 256,
    .warp_schedulers = 4,
    .shared_bytes_per_block = 49152,
    .shared_bytes_per_block_optin = 232448,
    .shared_bytes_per_multiprocessor = 233472,
    .shared_reserved_bytes_per_block = 1024,
};

static const LaunchNeeds KERNEL = {
    .registers = 32,
    .static_shared_bytes = 1024,
    .max_threads_per_block = 1024,
    .max_dynamic_shared_bytes = 48128,
};

static void launches_are_refused_with_the_limit_they_break(void **state)
{
    static const struct {
        LaunchShape shape;
        uint32_t registers, bound;
        LaunchLimit limit;
        const char *text;
    } cases[] = {
        {{{1, 1, 1}, {1024, 1, 1}, 48128, {0}}, 32, 1024, LAUNCH_FITS, ""},
        {{{2147483647, 65535, 65535}, {16, 1, 64}, 0, {0}}, 32, 1024, LAUNCH_FITS, ""},
        {{{1, 1, 1}, {2048, 1, 1}, 0, {0}}, 32, 1024, LAUNCH_THREADS, "2048 threads per block, at most 1024"},
        {{{1, 1, 1}, {64, 64, 1}, 0, {0}}, 32, 1024, LAUNCH_THREADS, "4096 threads per block, at most 1024"},
        {{{1, 1, 1}, {65536, 65536, 1}, 0, {0}},
         32,
         1024,
         LAUNCH_THREADS,
         "4294967296 threads per block, at most 1024"},
        {{{0, 1, 1}, {32, 1, 1}, 0, {0}}, 32, 1024, LAUNCH_EMPTY_GRID, "0 in grid.x, at least 1"},
        {{{1, 1, 1}, {32, 0, 1}, 0, {0}}, 32, 1024, LAUNCH_EMPTY_BLOCK, "0 in block.y, at least 1"},
        {{{1, 70000, 1}, {32, 1, 1}, 0, {0}}, 32, 1024, LAUNCH_GRID_Y, "70000 in grid.y, at most 65535"},
        {{{2147483648u, 1, 1}, {32, 1, 1}, 0, {0}},
         32,
         1024,
         LAUNCH_GRID_X,
         "2147483648 in grid.x, at most 2147483647"},
        {{{1, 1, 65536}, {32, 1, 1}, 0, {0}}, 32, 1024, LAUNCH_GRID_Z, "65536 in grid.z, at most 65535"},
        {{{1, 1, 1}, {1, 1, 65}, 0, {0}}, 32, 1024, LAUNCH_BLOCK_Z, "65 in block.z, at most 64"},
        {{{1, 1, 1}, {512, 1, 1}, 0, {0}},
         32,
         256,
         LAUNCH_BOUNDS,
         "512 threads per block of a kernel with __launch_bounds__, at most 256"},
        {{{4, 6, 1}, {32, 1, 1}, 0, {2, 3, 1}}, 32, 1024, LAUNCH_FITS, ""},
        {{{4, 6, 1}, {32, 1, 1}, 0, {4, 1, 3}}, 32, 1024, LAUNCH_CLUSTER, "12 blocks in a cluster, at most 8"},
        {{{4, 6, 1}, {32, 1, 1}, 0, {65536, 65536, 65536}},
         32,
         1024,
         LAUNCH_CLUSTER,
         "18446744073709551615 blocks in a cluster, at most 8"},
        {{{5, 6, 1}, {32, 1, 1}, 0, {2, 1, 1}},
         32,
         1024,
         LAUNCH_CLUSTER,
         "5 blocks in grid.x, but they must be a multiple of the cluster's 2"},
        {{{1, 1, 1}, {1024, 1, 1}, 0, {0}}, 64, 1024, LAUNCH_FITS, ""},
        {{{1, 1, 1}, {1024, 1, 1}, 0, {0}}, 65, 1024, LAUNCH_REGISTERS, "73728 registers per block, at most 65536"},
        {{{1, 1, 1}, {32, 1, 1}, 60000, {0}},
         32,
         1024,
         LAUNCH_DYNAMIC_SHARED,
         "60000 bytes of dynamic shared memory, at most 48128 unless "
         "cudaFuncSetAttribute(cudaFuncAttributeMaxDynamicSharedMemorySize) allows more"},
        {{{1, 1, 1}, {32, 1, 1}, 300000, {0}},
         32,
         1024,
         LAUNCH_SHARED,
         "301024 bytes of shared memory per block, at most 232448"},
    };
    const LaunchLimits limits = launch_limits(&H200);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        LaunchNeeds needs = KERNEL;
        char text[200];
        needs.registers = cases[i].registers;
        needs.max_threads_per_block = cases[i].bound;
        LaunchLimit limit = launch_limits_check(&limits, &needs, &cases[i].shape, text, sizeof text);
        if (limit != cases[i].limit || strcmp(text, cases[i].text) != 0)
            fail_test("case %zu: limit %d, text '%s'", i, limit, text);
    }
}

static void a_launch_keeps_to_the_clusters_of_its_kernel(void **state)
{
    const LaunchShape shape = {{4, 6, 1}, {32, 1, 1}, 0, {2, 3, 1}};
    const LaunchLimits limits = launch_limits(&H200);
    LaunchNeeds needs = KERNEL;
    char text[200];
    memcpy(needs.cluster, (uint32_t[]){2, 2, 1}, sizeof needs.cluster);
    assert_int_equal(launch_limits_check(&limits, &needs, &shape, text, sizeof text), LAUNCH_CLUSTER);
    assert_string_equal(text, "3 in the cluster's y where __cluster_dims__ says, only 2");
}

static LaunchLimit check_block(const LaunchNeeds *needs, uint32_t warps, uint32_t dynamic_shared_bytes)
{
    const LaunchLimits limits = launch_limits(&H200);
    const LaunchShape shape = {{1, 1, 1}, {warps * WARP_THREADS, 1, 1}, dynamic_shared_bytes, {0}};
    char text[200];
    return launch_limits_check(&limits, needs, &shape, text, sizeof text);
}

/* Measured on an H200 with CUDA 13.0: the most warps of a block of such a kernel that can be launched. */
static void registers_are_counted_as_the_hardware_counts_them(void **state)
{
    static const struct {
        uint32_t registers, most_warps;
    } cases[] = {{125, 16}, {173, 8}, {197, 8}, {221, 8}, {245, 8}, {255, 8}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        LaunchNeeds needs = KERNEL;
        needs.registers = cases[i].registers;
        for (uint32_t warps = 1; warps <= 32; warps++)
            if ((check_block(&needs, warps, 0) == LAUNCH_FITS) != (warps <= cases[i].most_warps))
                fail_test("%u registers, %u warps", cases[i].registers, warps);
    }
}

static void a_block_fits_if_and_only_if_one_can_be_resident(void **state)
{
    static const uint32_t shared[] = {0, 1, 48128, 100000, 231424, 231425};
    for (uint32_t registers = 1; registers <= 255; registers++)
        for (uint32_t warps = 1; warps <= 32; warps++)
            for (size_t i = 0; i < COUNT_OF(shared); i++) {
                const SimFunctionInfo function = {.registers = registers, .static_shared_bytes = 1024};
                const LaunchNeeds needs = {registers, 1024, 1024, UINT32_MAX, {0}};
                bool fits = check_block(&needs, warps, shared[i]) == LAUNCH_FITS;
                if (fits != (cost_resident_blocks(&H200, &function, warps * WARP_THREADS, shared[i]) > 0))
                    fail_test("%u registers, %u warps, %u bytes", registers, warps, shared[i]);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch_keeps_to_the_clusters_of_its_kernel),
        cmocka_unit_test(launches_are_refused_with_the_limit_they_break),
        cmocka_unit_test(registers_are_counted_as_the_hardware_counts_them),
        cmocka_unit_test(a_block_fits_if_and_only_if_one_can_be_resident),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
