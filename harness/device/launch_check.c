#include "harness/device/launch_check.h"

#include <inttypes.h>
#include <stdio.h>

/* CUDA 13.0 answers every one of these with "invalid argument" (measured on an H200); older runtimes had "invalid
 * configuration argument" for shapes beyond the device's limits. */
static CudaError refuse(CudaError error, char *hint, size_t size, const char *what, uint64_t found, const char *least,
                        uint64_t allowed)
{
    snprintf(hint, size, "%" PRIu64 " %s, at %s %" PRIu64, found, what, least, allowed);
    return error;
}

static CudaError check_extent(const char *what, const uint32_t extent[3], const uint32_t most[3], char *hint,
                              size_t size)
{
    for (int i = 0; i < 3; i++) {
        char name[40];
        snprintf(name, sizeof name, "in %s.%c", what, "xyz"[i]);
        if (extent[i] == 0)
            return refuse(CUDA_ERROR_INVALID_VALUE, hint, size, name, 0, "least", 1);
        if (extent[i] > most[i])
            return refuse(CUDA_ERROR_INVALID_VALUE, hint, size, name, extent[i], "most", most[i]);
    }
    return CUDA_ERROR_SUCCESS;
}

/* Registers are given to whole warps in units of 256 (CUDA C++ Programming Guide, Compute Capabilities). */
static uint64_t block_registers(const DeviceInfo *device, const DeviceFunctionInfo *function, uint64_t threads)
{
    uint64_t warps = (threads + device->warp_size - 1) / device->warp_size;
    uint64_t registers_a_warp = ((uint64_t)function->registers * device->warp_size + 255) / 256 * 256;
    return warps * registers_a_warp;
}

static CudaError check_threads(const DeviceInfo *device, const DeviceFunctionInfo *function, uint64_t threads,
                               char *hint, size_t size)
{
    if (threads > device->max_threads_per_block)
        return refuse(CUDA_ERROR_INVALID_VALUE, hint, size, "threads per block", threads, "most",
                      device->max_threads_per_block);
    if (threads > function->max_threads_per_block)
        return refuse(CUDA_ERROR_INVALID_VALUE, hint, size, "threads per block of a kernel with __launch_bounds__",
                      threads, "most", function->max_threads_per_block);
    if (block_registers(device, function, threads) > device->registers_per_block)
        return refuse(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, hint, size, "registers per block",
                      block_registers(device, function, threads), "most", device->registers_per_block);
    return CUDA_ERROR_SUCCESS;
}

static CudaError check_shared(const DeviceInfo *device, const DeviceFunctionInfo *function, uint64_t dynamic,
                              char *hint, size_t size)
{
    uint64_t most = function->max_dynamic_shared_bytes;
    if (dynamic > most && dynamic + function->static_shared_bytes <= device->shared_bytes_per_block_optin) {
        snprintf(hint, size,
                 "%" PRIu64 " bytes of dynamic shared memory, at most %" PRIu64 " unless "
                 "cudaFuncSetAttribute(cudaFuncAttributeMaxDynamicSharedMemorySize) allows more",
                 dynamic, most);
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (dynamic > most)
        return refuse(CUDA_ERROR_INVALID_VALUE, hint, size, "bytes of shared memory per block",
                      dynamic + function->static_shared_bytes, "most", device->shared_bytes_per_block_optin);
    return CUDA_ERROR_SUCCESS;
}

CudaError launch_check(const DeviceInfo *device, const DeviceFunctionInfo *function, const DeviceLaunch *launch,
                       char *hint, size_t size)
{
    uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    hint[0] = '\0';
    CudaError error = check_extent("grid", launch->grid, device->max_grid, hint, size);
    if (error == CUDA_ERROR_SUCCESS && threads <= device->max_threads_per_block)
        error = check_extent("block", launch->block, device->max_block, hint, size);
    if (error == CUDA_ERROR_SUCCESS)
        error = check_threads(device, function, threads, hint, size);
    if (error == CUDA_ERROR_SUCCESS)
        error = check_shared(device, function, launch->dynamic_shared_bytes, hint, size);
    return error;
}
