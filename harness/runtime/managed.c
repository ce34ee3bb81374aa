#include "harness/runtime/managed.h"
#include "harness/runtime/transfer.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

typedef struct Managed {
    uint64_t address, bytes;
    struct Managed *next;
} Managed;

static Managed *all_managed;

enum { PAGE = 4096 };

/* True if the pages are there now; some may have been there before, with other managed memory on them. */
static bool map_pages(uint64_t first, uint64_t end)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    void *mapped = mmap((void *)(uintptr_t)first, end - first, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (mapped != MAP_FAILED || errno != EEXIST)
        return mapped != MAP_FAILED;
    if (end - first <= PAGE)
        return true;
    uint64_t middle = first + (end - first) / PAGE / 2 * PAGE;
    return map_pages(first, middle) && map_pages(middle, end);
}

/* Other allocations on the same pages become accessible, too. They all belong to the submission. */
static cudaError_t open_pages(uint64_t address, uint64_t bytes)
{
    uint64_t first = address / PAGE * PAGE, end = (address + bytes + PAGE - 1) / PAGE * PAGE;
    return map_pages(first, end) ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t managed_adopt(uint64_t address, uint64_t bytes)
{
    cudaError_t error = open_pages(address, bytes);
    Managed *managed = error == cudaSuccess ? malloc(sizeof *managed) : NULL;
    if (managed == NULL)
        return cudaErrorMemoryAllocation;
    client_lock();
    *managed = (Managed){address, bytes, all_managed};
    all_managed = managed;
    client_unlock();
    return transfer_from_device((void *)(uintptr_t)address, address, bytes, 0);
}

bool managed_forget(uint64_t address)
{
    client_lock();
    Managed **link = &all_managed;
    while (*link != NULL && (*link)->address != address)
        link = &(*link)->next;
    Managed *found = *link;
    if (found != NULL)
        *link = found->next;
    client_unlock();
    free(found);
    return found != NULL;
}

bool managed_holds(uint64_t address)
{
    client_lock();
    const Managed *managed = all_managed;
    while (managed != NULL && address - managed->address >= managed->bytes)
        managed = managed->next;
    client_unlock();
    return managed != NULL;
}

cudaError_t managed_push(void)
{
    cudaError_t error = cudaSuccess;
    client_lock();
    for (const Managed *managed = all_managed; managed != NULL && error == cudaSuccess; managed = managed->next)
        error = transfer_to_device(managed->address, (void *)(uintptr_t)managed->address, managed->bytes, 0);
    client_unlock();
    return error;
}

cudaError_t managed_pull(void)
{
    cudaError_t error = cudaSuccess;
    client_lock();
    for (const Managed *managed = all_managed; managed != NULL && error == cudaSuccess; managed = managed->next)
        error = transfer_from_device((void *)(uintptr_t)managed->address, managed->address, managed->bytes, 0);
    client_unlock();
    return error;
}

cudaError_t managed_refresh(uint64_t address, cudaError_t error)
{
    return error == cudaSuccess && managed_holds(address) ? managed_pull() : error;
}
