#include "harness/device/sim/sim_memory.h"

#include "harness/device/sim/sim_profile.h"
#include "harness/device/sim/sim_stream.h"

#include <string.h>

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static CudaError alloc(Device *device, uint64_t bytes, uint64_t *address)
{
    SimDevice *sim = sim_of(device);
    if (sim->sticky != CUDA_ERROR_SUCCESS)
        return sim->sticky;
    *address = simgpu_alloc(sim->gpu, bytes);
    return *address == 0 ? CUDA_ERROR_MEMORY_ALLOCATION : CUDA_ERROR_SUCCESS;
}

static CudaError alloc_at(Device *device, uint64_t address, uint64_t bytes)
{
    SimDevice *sim = sim_of(device);
    if (sim->sticky != CUDA_ERROR_SUCCESS)
        return sim->sticky;
    return simgpu_alloc_at(sim->gpu, address, bytes) ? CUDA_ERROR_SUCCESS : CUDA_ERROR_MEMORY_ALLOCATION;
}

/* cudaFree() waits for the device (CUDA Programming Guide, "Implicit Synchronization"). */
static CudaError release(Device *device, uint64_t address)
{
    SimDevice *sim = sim_of(device);
    if (sim->sticky != CUDA_ERROR_SUCCESS)
        return sim->sticky;
    sim_wait_all(sim);
    return simgpu_release(sim->gpu, address) ? CUDA_ERROR_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static void set_limit(Device *device, uint64_t bytes)
{
    simgpu_set_memory_limit(sim_of(device)->gpu, bytes);
}

static uint64_t allocated_bytes(Device *device)
{
    return simgpu_allocated_bytes(sim_of(device)->gpu);
}

static bool owns(Device *device, uint64_t address, uint64_t bytes)
{
    SimAllocation found;
    return simgpu_find(sim_of(device)->gpu, address, bytes, &found);
}

static CudaError origin_of(Device *device, uint64_t address, uint64_t bytes, uint32_t element_bytes,
                           ContentOrigin *origin)
{
    SimDevice *sim = sim_of(device);
    if (simgpu_comes_from_host(sim->gpu, address, bytes))
        *origin = ORIGIN_HOST;
    else
        *origin = sim->statistics.kernels == 0 ? ORIGIN_NO_KERNEL : ORIGIN_KERNELS;
    return sim->sticky;
}

static void forget_origin(Device *device, uint64_t address, uint64_t bytes)
{
    simgpu_forget_origin(sim_of(device)->gpu, address, bytes);
}

const DeviceMemoryOps SIM_MEMORY_OPS = {
    .alloc = alloc,
    .alloc_at = alloc_at,
    .release = release,
    .set_limit = set_limit,
    .allocated_bytes = allocated_bytes,
    .owns = owns,
    .origin = origin_of,
    .forget_origin = forget_origin,
};

/* ---- copies ------------------------------------------------------------------------------------------------------ */

CudaError sim_check_range(SimDevice *sim, uint64_t address, uint64_t bytes)
{
    if (sim->sticky != CUDA_ERROR_SUCCESS)
        return sim->sticky;
    return bytes == 0 || owns(&sim->device, address, bytes) ? CUDA_ERROR_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

void sim_count_copy(SimDevice *sim, DeviceStream *stream, uint64_t bytes, bool across_bus)
{
    double seconds = simgpu_copy_seconds(sim->gpu, bytes, across_bus);
    sim->statistics.copies++;
    if (sim->profile != NULL)
        sim_profile_copy(sim, bytes, across_bus, seconds);
    sim_enqueue(sim, stream, across_bus ? ENGINE_BUS : ENGINE_KERNELS, seconds);
}

static CudaError write_bytes(Device *device, uint64_t to, const void *from, uint64_t bytes, DeviceStream *stream)
{
    SimDevice *sim = sim_of(device);
    CudaError error = sim_check_range(sim, to, bytes);
    if (error != CUDA_ERROR_SUCCESS || bytes == 0)
        return error;
    simgpu_host_writes(sim->gpu, to, from, bytes);
    memcpy(byte_at(to), from, bytes);
    simgpu_mark_written(sim->gpu, to, bytes);
    sim_count_copy(sim, stream, bytes, true);
    return CUDA_ERROR_SUCCESS;
}

static CudaError read_bytes(Device *device, void *to, uint64_t from, uint64_t bytes, DeviceStream *stream)
{
    SimDevice *sim = sim_of(device);
    CudaError error = sim_check_range(sim, from, bytes);
    if (error != CUDA_ERROR_SUCCESS || bytes == 0)
        return error;
    memcpy(to, byte_at(from), bytes);
    sim_count_copy(sim, stream, bytes, true);
    sim_wait_stream(sim, stream);
    return sim->sticky;
}

static CudaError copy_bytes(Device *device, uint64_t to, uint64_t from, uint64_t bytes, DeviceStream *stream)
{
    SimDevice *sim = sim_of(device);
    CudaError error = sim_check_range(sim, to, bytes);
    if (error == CUDA_ERROR_SUCCESS)
        error = sim_check_range(sim, from, bytes);
    if (error != CUDA_ERROR_SUCCESS || bytes == 0)
        return error;
    simgpu_copies(sim->gpu, to, from, bytes);
    memmove(byte_at(to), byte_at(from), bytes);
    simgpu_mark_written(sim->gpu, to, bytes);
    sim_count_copy(sim, stream, bytes, false);
    return CUDA_ERROR_SUCCESS;
}

static CudaError fill_bytes(Device *device, uint64_t to, uint8_t value, uint64_t bytes, DeviceStream *stream)
{
    SimDevice *sim = sim_of(device);
    CudaError error = sim_check_range(sim, to, bytes);
    if (error != CUDA_ERROR_SUCCESS || bytes == 0)
        return error;
    simgpu_host_fills(sim->gpu, to, value, bytes);
    memset(byte_at(to), value, bytes);
    simgpu_mark_written(sim->gpu, to, bytes);
    sim_count_copy(sim, stream, bytes, false);
    return CUDA_ERROR_SUCCESS;
}

const DeviceCopyOps SIM_COPY_OPS = {.write = write_bytes, .read = read_bytes, .copy = copy_bytes, .fill = fill_bytes};
