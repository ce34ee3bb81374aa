#include "harness/device/launch_check.h"
#include "simgpu/cost/launch_limits.h"

#include <string.h>

/* The same for every GPU that CUDA 13 supports (compute capability 7.5 and above): cuda_occupancy.h of CUDA 13.0. */
enum { REGISTER_ALLOCATION_UNIT = 256, REGISTER_PARTITIONS = 4 };

static LaunchLimits limits_of(const DeviceInfo *device)
{
    LaunchLimits limits = {.max_threads_per_block = device->max_threads_per_block,
                           .registers_per_block = device->registers_per_block,
                           .register_allocation_unit = REGISTER_ALLOCATION_UNIT,
                           .register_partitions = REGISTER_PARTITIONS,
                           .shared_bytes_per_block_optin = device->shared_bytes_per_block_optin};
    memcpy(limits.max_block, device->max_block, sizeof limits.max_block);
    memcpy(limits.max_grid, device->max_grid, sizeof limits.max_grid);
    return limits;
}

/* CUDA 13.0 reports a shape beyond the device's limits as "invalid argument" (measured on an H200); older runtimes
 * reported "invalid configuration argument". */
static CudaError error_of(LaunchCheck check)
{
    switch (check) {
    case LAUNCH_FITS: return CUDA_ERROR_SUCCESS;
    case LAUNCH_INVALID: return CUDA_ERROR_INVALID_VALUE;
    case LAUNCH_LACKS_REGISTERS: return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    }
    return CUDA_ERROR_UNKNOWN;
}

CudaError launch_check(const DeviceInfo *device, const DeviceFunctionInfo *function, const LaunchShape *shape,
                       char *hint, size_t size)
{
    const LaunchLimits limits = limits_of(device);
    LaunchNeeds needs = {.registers = function->registers_estimated ? 0 : function->registers,
                         .static_shared_bytes = function->static_shared_bytes,
                         .max_threads_per_block = function->max_threads_per_block,
                         .max_dynamic_shared_bytes = function->max_dynamic_shared_bytes};
    memcpy(needs.cluster, function->cluster, sizeof needs.cluster);
    return error_of(launch_limits_check(&limits, &needs, shape, hint, size));
}
