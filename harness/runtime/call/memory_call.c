/* CUDA's calls that allocate and free device memory.  */
#include "harness/runtime/address.h"
#include "harness/runtime/graph/capture.h"
#include "harness/runtime/managed.h"
#include "harness/runtime/memory.h"
#include "harness/runtime/pool.h"

#include <stdlib.h>

enum { PITCH_ALIGNMENT = 512 /* textureAlignment of an H200 */ };

static cudaError_t allocate(void **pointer, size_t bytes)
{
    uint64_t address;
    if (pointer == NULL)
        return cudaErrorInvalidValue;
    *pointer = NULL;
    if (bytes == 0)
        return cudaSuccess;
    cudaError_t error = capture_allows_unsafe();
    if (error == cudaSuccess)
        error = memory_allocate(bytes, &address);
    if (error == cudaSuccess)
        *pointer = (void *)(uintptr_t)address;
    return error;
}

static cudaError_t free_memory(void *pointer)
{
    if (pointer == NULL)
        return cudaSuccess;
    cudaError_t error = is_device_address(pointer) ? capture_allows_unsafe() : cudaErrorInvalidValue;
    if (error == cudaSuccess && pool_forget((uint64_t)(uintptr_t)pointer))
        error = cudaErrorInvalidValue;
    return error == cudaSuccess ? memory_release((uint64_t)(uintptr_t)pointer) : error;
}

static cudaError_t allocate_rows(void **pointer, size_t *pitch, size_t width, size_t height)
{
    if (pitch == NULL || width > SIZE_MAX - PITCH_ALIGNMENT)
        return cudaErrorInvalidValue;
    *pitch = (width + PITCH_ALIGNMENT - 1) / PITCH_ALIGNMENT * PITCH_ALIGNMENT;
    if (height != 0 && *pitch > SIZE_MAX / height)
        return cudaErrorMemoryAllocation;
    return allocate(pointer, *pitch * height);
}

cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
    return result(allocate(pointer, bytes));
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    return result(allocate_rows(pointer, pitch, width, height));
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitched, struct cudaExtent extent)
{
    if (pitched == NULL || (extent.depth != 0 && extent.height > SIZE_MAX / extent.depth))
        return result(cudaErrorInvalidValue);
    *pitched = (struct cudaPitchedPtr){.xsize = extent.width, .ysize = extent.height};
    return result(allocate_rows(&pitched->ptr, &pitched->pitch, extent.width, extent.height * extent.depth));
}

cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned flags)
{
    cudaError_t error = bytes == 0 ? cudaErrorInvalidValue : allocate(pointer, bytes);
    if (error == cudaSuccess)
        error = managed_adopt((uint64_t)(uintptr_t)*pointer, bytes);
    return result(error);
}

cudaError_t cudaFree(void *pointer)
{
    return result(free_memory(pointer));
}

/* ---- in the order of a stream ------------------------------------------------------------------------------------ */

static cudaError_t allocate_on(void **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    return capture_is_active(stream) ? missing("allocations in a graph") : pool_allocate(pointer, bytes, pool, stream);
}

/* Memory of cudaMalloc() can be freed on a stream as well. */
static cudaError_t free_on(void *pointer, cudaStream_t stream)
{
    cudaError_t error;
    if (pointer == NULL)
        return cudaSuccess;
    if (capture_is_active(stream))
        return missing("allocations in a graph");
    if (!is_device_address(pointer))
        return cudaErrorInvalidValue;
    return pool_free((uint64_t)(uintptr_t)pointer, stream, &error) ? error : free_memory(pointer);
}

cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream)
{
    return result(allocate_on(pointer, bytes, pool_in_use(), stream));
}

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    return result(allocate_on(pointer, bytes, pool, stream));
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    return result(free_on(pointer, stream));
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *all_bytes)
{
    RingReply reply;
    cudaError_t error = client_call(RING_MEMORY_INFO, (RingWords){{0}}, &reply);
    if (error == cudaSuccess) {
        *free_bytes = reply.value[0];
        *all_bytes = reply.value[1];
    }
    return result(error);
}
