#include "harness/runtime/address.h"
#include "harness/runtime/managed.h"
#include "harness/runtime/older.h"

#include <stdlib.h>
#include <string.h>

enum { PITCH_ALIGNMENT = 512 /* textureAlignment of an H200 */ };

/* ---- device memory ----------------------------------------------------------------------------------------------- */

static cudaError_t allocate(void **pointer, size_t bytes)
{
    RingReply reply;
    if (pointer == NULL)
        return cudaErrorInvalidValue;
    *pointer = NULL;
    if (bytes == 0)
        return cudaSuccess;
    cudaError_t error = client_call(RING_ALLOC, (RingWords){{bytes}}, &reply);
    if (error == cudaSuccess)
        *pointer = (void *)(uintptr_t)reply.value[0];
    return error;
}

static cudaError_t release(void *pointer)
{
    if (pointer == NULL)
        return cudaSuccess;
    if (!is_device_address(pointer))
        return cudaErrorInvalidValue;
    managed_forget((uint64_t)(uintptr_t)pointer);
    return client_call(RING_RELEASE, (RingWords){{(uint64_t)(uintptr_t)pointer}}, NULL);
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

cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream)
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
    return result(release(pointer));
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    return result(release(pointer));
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

/* ---- pinned host memory: ordinary memory, remembered ------------------------------------------------------------- */

typedef struct SpecialRegister {
    void *address;
    size_t bytes;
    bool owned; /* by cudaMallocHost(); else only registered */
    unsigned flags;
    struct SpecialRegister *next;
} SpecialRegister;

static SpecialRegister *all_pinned;

static cudaError_t remember(void *address, size_t bytes, bool owned, unsigned flags)
{
    SpecialRegister *pinned = malloc(sizeof *pinned);
    if (pinned == NULL)
        return cudaErrorMemoryAllocation;
    client_lock();
    *pinned = (SpecialRegister){address, bytes, owned, flags, all_pinned};
    all_pinned = pinned;
    client_unlock();
    return cudaSuccess;
}

static bool forget(void *address, bool owned)
{
    client_lock();
    SpecialRegister **link = &all_pinned;
    while (*link != NULL && ((*link)->address != address || (*link)->owned != owned))
        link = &(*link)->next;
    SpecialRegister *found = *link;
    if (found != NULL)
        *link = found->next;
    client_unlock();
    free(found);
    return found != NULL;
}

static bool find_pinned(const void *address, SpecialRegister *found)
{
    client_lock();
    const SpecialRegister *pinned = all_pinned;
    while (pinned != NULL && (size_t)((const char *)address - (char *)pinned->address) >= pinned->bytes)
        pinned = pinned->next;
    if (pinned != NULL)
        *found = *pinned;
    client_unlock();
    return pinned != NULL;
}

static cudaError_t allocate_host(void **pointer, size_t bytes, unsigned flags)
{
    if (pointer == NULL)
        return cudaErrorInvalidValue;
    *pointer = NULL;
    if (bytes == 0)
        return cudaSuccess;
    *pointer = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    return *pointer == NULL ? cudaErrorMemoryAllocation : remember(*pointer, bytes, true, flags);
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
    return result(allocate_host(pointer, bytes, cudaHostAllocDefault));
}

cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned flags)
{
    return result(allocate_host(pointer, bytes, flags));
}

cudaError_t cudaFreeHost(void *pointer)
{
    if (pointer == NULL)
        return cudaSuccess;
    if (!forget(pointer, true))
        return result(cudaErrorInvalidValue);
    free(pointer);
    return cudaSuccess;
}

cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned flags)
{
    return result(pointer == NULL || bytes == 0 ? cudaErrorInvalidValue : remember(pointer, bytes, false, flags));
}

cudaError_t cudaHostUnregister(void *pointer)
{
    return result(forget(pointer, false) ? cudaSuccess : cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *pointer)
{
    SpecialRegister pinned;
    if (flags == NULL || !find_pinned(pointer, &pinned))
        return result(cudaErrorInvalidValue);
    *flags = pinned.flags;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
    if (attributes == NULL)
        return result(cudaErrorInvalidValue);
    SpecialRegister pinned;
    void *address = (void *)(uintptr_t)pointer;
    struct cudaPointerAttributes found = {.type = cudaMemoryTypeUnregistered, .device = -2, .hostPointer = address};
    if (is_device_address(pointer)) {
        bool managed = managed_holds((uint64_t)(uintptr_t)pointer);
        found = (struct cudaPointerAttributes){.type = managed ? cudaMemoryTypeManaged : cudaMemoryTypeDevice,
                                               .devicePointer = address,
                                               .hostPointer = managed ? address : NULL};
    } else if (find_pinned(pointer, &pinned)) {
        found.type = cudaMemoryTypeHost;
        found.device = 0;
    }
    GIVE(attributes, &found, 24, 24);
    return cudaSuccess;
}
