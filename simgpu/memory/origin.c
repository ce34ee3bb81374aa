#include "simgpu/memory/origin.h"

#include <stdlib.h>
#include <string.h>

/* calloc() gives pages of zeros that take no memory until they are marked. Where it fails, nothing is the host's. */
static uint8_t *map_at(Allocation *allocation, uint64_t address)
{
    if (allocation->from_host == NULL)
        allocation->from_host = calloc(allocation->bytes, 1);
    return allocation->from_host == NULL ? NULL : allocation->from_host + (address - allocation->address);
}

void origin_free(Allocation *allocation)
{
    free(allocation->from_host);
    allocation->from_host = NULL;
}

void origin_write(Allocation *allocation, uint64_t address, const void *from, uint64_t bytes)
{
    uint8_t *map = map_at(allocation, address);
    const uint8_t *old = (const uint8_t *)address, *new = from;
    for (uint64_t i = 0; map != NULL && i < bytes; i++)
        map[i] = new[i] == old[i] ? map[i] : new[i] != 0;
}

void origin_fill(Allocation *allocation, uint64_t address, uint8_t value, uint64_t bytes)
{
    if (value == 0) {
        origin_clear(allocation, address, bytes);
        return;
    }
    uint8_t *map = map_at(allocation, address);
    const uint8_t *old = (const uint8_t *)address;
    for (uint64_t i = 0; map != NULL && i < bytes; i++)
        map[i] |= old[i] != value;
}

void origin_copy(Allocation *to, uint64_t address, const Allocation *from, uint64_t from_address, uint64_t bytes)
{
    if (from->from_host == NULL) {
        origin_clear(to, address, bytes);
        return;
    }
    uint8_t *map = map_at(to, address);
    if (map != NULL)
        memmove(map, from->from_host + (from_address - from->address), bytes);
}

void origin_clear(Allocation *allocation, uint64_t address, uint64_t bytes)
{
    if (allocation->from_host != NULL)
        memset(allocation->from_host + (address - allocation->address), 0, bytes);
}

void origin_forget(Allocation *allocation, uint64_t address, uint64_t bytes)
{
    if (address == allocation->address && bytes == allocation->bytes)
        origin_free(allocation);
    else
        origin_clear(allocation, address, bytes);
}

bool origin_is_host(const Allocation *allocation, uint64_t address, uint64_t bytes)
{
    return allocation->from_host != NULL &&
           memchr(allocation->from_host + (address - allocation->address), 1, bytes) != NULL;
}
