#include "harness/runtime/memory.h"

#include "harness/runtime/address.h"
#include "harness/runtime/capture.h"
#include "harness/runtime/managed.h"
#include "harness/runtime/pool.h"

#include <stdlib.h>

enum { PITCH_ALIGNMENT = 512 /* textureAlignment of an H200 */ };

cudaError_t memory_allocate(uint64_t bytes, uint64_t *address)
{
    RingReply reply;
    cudaError_t error = client_call(RING_ALLOC, (RingWords){{bytes}}, &reply);
    *address = reply.value[0];
    return error;
}

cudaError_t memory_release(uint64_t address)
{
    managed_forget(address);
    return client_call(RING_RELEASE, (RingWords){{address}}, NULL);
}

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

cudaError_t memory_free(void *pointer)
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
    return result(memory_free(pointer));
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
