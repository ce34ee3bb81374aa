#include "harness/broker/broker_device_info.h"

#include "harness/device/array_check.h"

#include <stdio.h>
#include <string.h>

static RingDeviceInfo ring_device_info(const DeviceInfo *device)
{
    RingDeviceInfo info = {
        .memory_bytes = device->memory_bytes,
        .compute_major = (uint32_t)device->compute_major,
        .compute_minor = (uint32_t)device->compute_minor,
        .multiprocessors = device->multiprocessors,
        .warp_size = device->warp_size,
        .max_threads_per_block = device->max_threads_per_block,
        .max_threads_per_multiprocessor = device->max_threads_per_multiprocessor,
        .max_blocks_per_multiprocessor = device->max_blocks_per_multiprocessor,
        .registers_per_block = device->registers_per_block,
        .registers_per_multiprocessor = device->registers_per_multiprocessor,
        .shared_bytes_per_block = device->shared_bytes_per_block,
        .shared_bytes_per_block_optin = device->shared_bytes_per_block_optin,
        .shared_bytes_per_multiprocessor = device->shared_bytes_per_multiprocessor,
        .shared_reserved_bytes_per_block = device->shared_reserved_bytes_per_block,
        .constant_bytes = device->constant_bytes,
        .l2_bytes = device->l2_bytes,
        .clock_khz = device->clock_khz,
        .memory_clock_khz = device->memory_clock_khz,
        .memory_bus_bits = device->memory_bus_bits,
        .max_array_1d = ARRAY_MAX_WIDTH_1D,
        .max_array_2d = {ARRAY_MAX_WIDTH_2D, ARRAY_MAX_HEIGHT_2D},
        .max_array_3d = ARRAY_MAX_EXTENT_3D,
        .max_gather_2d = ARRAY_MAX_GATHER_2D,
    };
    snprintf(info.name, sizeof info.name, "%s", device->name);
    memcpy(info.max_block, device->max_block, sizeof info.max_block);
    memcpy(info.max_grid, device->max_grid, sizeof info.max_grid);
    return info;
}

CudaError serve_device_info(Broker *broker, RingReply *reply)
{
    const RingDeviceInfo info = ring_device_info(&broker->device->info);
    memcpy(broker->reader.ring->staging, &info, sizeof info);
    return CUDA_ERROR_SUCCESS;
}
