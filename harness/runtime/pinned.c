#include "harness/runtime/pinned.h"

#include "harness/runtime/managed.h"
#include "harness/runtime/turn.h"

#include <stdlib.h>
#include <string.h>

typedef struct Pinned {
    void *address;
    size_t bytes;
    bool owned; /* allocated by cudaMallocHost() or cudaHostAlloc(); else only registered */
    unsigned flags;
    struct Pinned *next;
} Pinned;

static Pinned *all_pinned;

static cudaError_t remember_pinned(void *address, size_t bytes, bool owned, unsigned flags)
{
    Pinned *pinned = malloc(sizeof *pinned);
    if (pinned == NULL)
        return cudaErrorMemoryAllocation;
    client_lock();
    *pinned = (Pinned){address, bytes, owned, flags, all_pinned};
    all_pinned = pinned;
    client_unlock();
    return cudaSuccess;
}

static bool forget_pinned(void *address, bool owned)
{
    client_lock();
    Pinned **link = &all_pinned;
    while (*link != NULL && ((*link)->address != address || (*link)->owned != owned))
        link = &(*link)->next;
    Pinned *found = *link;
    if (found != NULL)
        *link = found->next;
    if (found != NULL)
        managed_unmap(address);
    client_unlock();
    free(found);
    return found != NULL;
}

static const Pinned *pinned_of(uintptr_t address)
{
    const Pinned *pinned = all_pinned;
    while (pinned != NULL && address - (uintptr_t)pinned->address >= pinned->bytes)
        pinned = pinned->next;
    return pinned;
}

bool pinned_holds(const void *address, size_t bytes)
{
    client_lock();
    const Pinned *pinned = pinned_of((uintptr_t)address);
    client_unlock();
    return pinned != NULL && bytes <= pinned->bytes - ((uintptr_t)address - (uintptr_t)pinned->address);
}

bool pinned_find(const void *address, unsigned *flags)
{
    client_lock();
    const Pinned *pinned = pinned_of((uintptr_t)address);
    if (pinned != NULL)
        *flags = pinned->flags;
    client_unlock();
    return pinned != NULL;
}

bool pinned_exists(void)
{
    return all_pinned != NULL;
}

cudaError_t pinned_on_device(const void *address, uint64_t *device_address)
{
    client_lock();
    const Pinned *pinned = pinned_of((uintptr_t)address);
    cudaError_t error = pinned == NULL ? cudaErrorInvalidValue
                                       : managed_map(pinned->address, pinned->bytes, device_address);
    if (error == cudaSuccess)
        *device_address += (uintptr_t)address - (uintptr_t)pinned->address;
    client_unlock();
    return error;
}

/* With unified addressing, kernels use all pinned memory at the host's addresses (CUDA Programming Guide, "Mapped
 * Memory"). */
cudaError_t pinned_replace(uint8_t *parameters, size_t bytes)
{
    cudaError_t error = cudaSuccess;
    client_lock();
    for (size_t at = 0; at + sizeof(uint64_t) <= bytes && error == cudaSuccess; at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, parameters + at, sizeof word);
        if (pinned_of(word) == NULL)
            continue;
        error = pinned_on_device((const void *)(uintptr_t)word, &word);
        memcpy(parameters + at, &word, sizeof word);
    }
    client_unlock();
    return error;
}

static cudaError_t allocate_host(void **pointer, size_t bytes, unsigned flags)
{
    if (pointer == NULL)
        return cudaErrorInvalidValue;
    *pointer = NULL;
    if (bytes == 0)
        return cudaSuccess;
    *pointer = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    return *pointer == NULL ? cudaErrorMemoryAllocation : remember_pinned(*pointer, bytes, true, flags);
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
    cudaError_t error = turns_settle();
    if (error == cudaSuccess && !forget_pinned(pointer, true))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        free(pointer);
    return result(error);
}

cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned flags)
{
    return result(pointer == NULL || bytes == 0 ? cudaErrorInvalidValue
                                                : remember_pinned(pointer, bytes, false, flags));
}

cudaError_t cudaHostUnregister(void *pointer)
{
    cudaError_t error = turns_settle();
    return result(error != cudaSuccess || forget_pinned(pointer, false) ? error : cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *pointer)
{
    return result(flags != NULL && pinned_find(pointer, flags) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaHostGetDevicePointer(void **device_pointer, void *pointer, unsigned flags)
{
    uint64_t address = 0;
    cudaError_t error = device_pointer == NULL || flags != 0 ? cudaErrorInvalidValue
                                                             : pinned_on_device(pointer, &address);
    if (error == cudaSuccess)
        *device_pointer = (void *)(uintptr_t)address;
    return result(error);
}
