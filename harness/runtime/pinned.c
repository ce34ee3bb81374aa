#include "harness/runtime/pinned.h"

#include "harness/runtime/client.h"

#include <stdlib.h>

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
    client_unlock();
    free(found);
    return found != NULL;
}

bool pinned_find(const void *address, unsigned *flags)
{
    client_lock();
    const Pinned *pinned = all_pinned;
    while (pinned != NULL && (size_t)((const char *)address - (char *)pinned->address) >= pinned->bytes)
        pinned = pinned->next;
    if (pinned != NULL)
        *flags = pinned->flags;
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
    if (!forget_pinned(pointer, true))
        return result(cudaErrorInvalidValue);
    free(pointer);
    return cudaSuccess;
}

cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned flags)
{
    return result(pointer == NULL || bytes == 0 ? cudaErrorInvalidValue
                                                : remember_pinned(pointer, bytes, false, flags));
}

cudaError_t cudaHostUnregister(void *pointer)
{
    return result(forget_pinned(pointer, false) ? cudaSuccess : cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *pointer)
{
    return result(flags != NULL && pinned_find(pointer, flags) ? cudaSuccess : cudaErrorInvalidValue);
}
