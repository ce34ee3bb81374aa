#include "base/tests/unit.h"

#include "harness/device/device_open.h"
#include "harness/device/launch_check.h"
#include "simgpu/cost/launch_limits.h"

#include <string.h>

/* The check of a device is the one by which its simulation refuses a launch (simgpu/launch.c), with CUDA's
 * errors. */
static void a_device_and_its_simulation_refuse_the_same_launches(void **state)
{
    static const struct {
        LaunchShape shape;
        uint32_t registers;
        CudaError error;
    } cases[] = {
        {{{1, 1, 1}, {1024, 1, 1}, 48128, {0}}, 32, CUDA_ERROR_SUCCESS},
        {{{1, 1, 1}, {1024, 1, 1}, 48129, {0}}, 32, CUDA_ERROR_INVALID_VALUE},
        {{{1, 1, 1}, {1024, 1, 1}, 300000, {0}}, 32, CUDA_ERROR_INVALID_VALUE},
        {{{1, 65535, 65535}, {1, 1, 64}, 0, {0}}, 32, CUDA_ERROR_SUCCESS},
        {{{1, 65536, 1}, {1, 1, 1}, 0, {0}}, 32, CUDA_ERROR_INVALID_VALUE},
        {{{1, 1, 0}, {1, 1, 1}, 0, {0}}, 32, CUDA_ERROR_INVALID_VALUE},
        {{{1, 1, 1}, {1, 1, 65}, 0, {0}}, 32, CUDA_ERROR_INVALID_VALUE},
        {{{1, 1, 1}, {1025, 1, 1}, 0, {0}}, 32, CUDA_ERROR_INVALID_VALUE},
        {{{1, 1, 1}, {1024, 1, 1}, 0, {0}}, 64, CUDA_ERROR_SUCCESS},
        {{{1, 1, 1}, {1024, 1, 1}, 0, {0}}, 65, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES},
        {{{1, 1, 1}, {256, 1, 1}, 0, {0}}, 173, CUDA_ERROR_SUCCESS},
        {{{1, 1, 1}, {257, 1, 1}, 0, {0}}, 173, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES},
    };
    HardwareProfile h200;
    DeviceInfo device;
    Message why;
    assert_int_equal(hardware_profile_read("simgpu/profiles", "h200", &h200, &why), STATUS_OK);
    device_describe_sim(&h200, &device);
    const LaunchLimits limits = launch_limits(&h200);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const uint32_t registers = cases[i].registers;
        const DeviceFunctionInfo function = {.registers = registers,
                                             .static_shared_bytes = 1024,
                                             .max_threads_per_block = 1024,
                                             .max_dynamic_shared_bytes = 48128};
        const LaunchNeeds needs = {registers, 1024, 1024, 48128, {0}};
        LaunchLimit broken;
        char hint[200], text[200];
        CudaError error = launch_check(&device, &function, &cases[i].shape, &broken, hint, sizeof hint);
        LaunchLimit limit = launch_limits_check(&limits, &needs, &cases[i].shape, text, sizeof text);
        bool agree = (error == CUDA_ERROR_SUCCESS) == (limit == LAUNCH_FITS) && limit == broken &&
                     strcmp(hint, text) == 0;
        if (error != cases[i].error || !agree)
            fail_test("case %zu: error %d, '%s'; limit %d, '%s'", i, error, hint, limit, text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_and_its_simulation_refuse_the_same_launches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
