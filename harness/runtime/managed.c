#include "harness/runtime/managed.h"
#include "harness/runtime/transfer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, LINE = 64 };

typedef struct Managed {
    uint64_t address, bytes;
    struct Managed *next;
    uint64_t seen[]; /* [lines] a digest of what the device and this process both had last */
} Managed;

static Managed *all_managed;

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

/* ---- what has changed -------------------------------------------------------------------------------------------- */

static size_t line_count(uint64_t bytes)
{
    return (bytes + LINE - 1) / LINE;
}

static uint64_t line_end(const Managed *managed, size_t line)
{
    return (line + 1) * LINE < managed->bytes ? (line + 1) * LINE : managed->bytes;
}

/* FNV-1a (Fowler, Noll, Vo) over words instead of bytes; the shift brings the upper bits down. */
static uint64_t digest(const Managed *managed, size_t line)
{
    const uint8_t *at = (const uint8_t *)(uintptr_t)managed->address + line * LINE;
    uint64_t bytes = line_end(managed, line) - line * LINE, hash = 0xCBF29CE484222325u;
    for (uint64_t i = 0; i < bytes; i += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, at + i, bytes - i < sizeof word ? bytes - i : sizeof word);
        hash = (hash ^ word) * 0x100000001B3u;
        hash ^= hash >> 32;
    }
    return hash;
}

static cudaError_t pull(Managed *managed)
{
    cudaError_t error = transfer_from_device((void *)(uintptr_t)managed->address, managed->address, managed->bytes, 0);
    for (size_t i = 0; i < line_count(managed->bytes) && error == cudaSuccess; i++)
        managed->seen[i] = digest(managed, i);
    return error;
}

/* Lines that the program has not changed stay as they are on the device, where a kernel may have changed them. */
static cudaError_t push(Managed *managed)
{
    cudaError_t error = cudaSuccess;
    for (size_t first = 0, lines = line_count(managed->bytes); first < lines && error == cudaSuccess;) {
        size_t end = first;
        for (uint64_t now; end < lines && (now = digest(managed, end)) != managed->seen[end]; end++)
            managed->seen[end] = now;
        uint64_t address = managed->address + first * LINE;
        if (end > first)
            error = transfer_to_device(address, (void *)(uintptr_t)address, line_end(managed, end - 1) - first * LINE,
                                       0);
        first = end + 1;
    }
    return error;
}

/* ---- public ------------------------------------------------------------------------------------------------------ */

cudaError_t managed_adopt(uint64_t address, uint64_t bytes)
{
    cudaError_t error = open_pages(address, bytes);
    Managed *managed = error == cudaSuccess ? malloc(sizeof *managed + line_count(bytes) * sizeof *managed->seen)
                                            : NULL;
    if (managed == NULL)
        return cudaErrorMemoryAllocation;
    client_lock();
    *managed = (Managed){address, bytes, all_managed};
    all_managed = managed;
    error = pull(managed);
    client_unlock();
    return error;
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
    for (Managed *managed = all_managed; managed != NULL && error == cudaSuccess; managed = managed->next)
        error = push(managed);
    client_unlock();
    return error;
}

cudaError_t managed_pull(void)
{
    cudaError_t error = cudaSuccess;
    client_lock();
    for (Managed *managed = all_managed; managed != NULL && error == cudaSuccess; managed = managed->next)
        error = pull(managed);
    client_unlock();
    return error;
}

cudaError_t managed_refresh(uint64_t address, cudaError_t error)
{
    return error == cudaSuccess && managed_holds(address) ? managed_pull() : error;
}
