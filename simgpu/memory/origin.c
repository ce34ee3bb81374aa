#include "simgpu/memory/origin.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Stands in for the map of an allocation that the host has written as a whole: each byte of it that is not zero comes
 * from the host. Few kernels store into such an array, and the others need no map. */
static uint8_t written_whole[1];

static pthread_mutex_t making_map = PTHREAD_MUTEX_INITIALIZER;

/* calloc() gives pages of zeros that take no memory until they are marked. Where it fails, nothing is the host's. */
static uint8_t *new_map(const Allocation *allocation)
{
    return calloc(allocation->bytes, 1);
}

/* A thread that has stored into the array meanwhile takes its bytes out of the map afterwards. */
static void make_map_of_whole(Allocation *allocation)
{
    pthread_mutex_lock(&making_map);
    if (allocation->from_host == written_whole) {
        uint8_t *map = new_map(allocation);
        const uint8_t *now = (const uint8_t *)allocation->address;
        for (uint64_t i = 0; map != NULL && i < allocation->bytes; i++)
            map[i] = now[i] != 0;
        __atomic_store_n(&allocation->from_host, map, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&making_map);
}

void origin_make_map(Allocation *allocation)
{
    if (__atomic_load_n(&allocation->from_host, __ATOMIC_ACQUIRE) == written_whole)
        make_map_of_whole(allocation);
}

/* NULL: nothing comes from the host. */
static uint8_t *known_map(Allocation *allocation, uint64_t address)
{
    origin_make_map(allocation);
    uint8_t *map = __atomic_load_n(&allocation->from_host, __ATOMIC_ACQUIRE);
    return map == NULL ? NULL : map + (address - allocation->address);
}

static uint8_t *map_at(Allocation *allocation, uint64_t address)
{
    allocation->is_blank = false;
    if (allocation->from_host == NULL)
        allocation->from_host = new_map(allocation);
    return known_map(allocation, address);
}

void origin_free(Allocation *allocation)
{
    if (allocation->from_host != written_whole)
        free(allocation->from_host);
    allocation->from_host = NULL;
}

void origin_write(Allocation *allocation, uint64_t address, const void *from, uint64_t bytes)
{
    if (allocation->is_blank && bytes == allocation->bytes) {
        allocation->is_blank = false;
        allocation->from_host = written_whole;
        return;
    }
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

void origin_copy(Allocation *to, uint64_t address, Allocation *from, uint64_t from_address, uint64_t bytes)
{
    const uint8_t *old = known_map(from, from_address);
    if (old == NULL) {
        origin_clear(to, address, bytes);
        return;
    }
    uint8_t *map = map_at(to, address);
    if (map != NULL)
        memmove(map, old, bytes);
}

void origin_clear(Allocation *allocation, uint64_t address, uint64_t bytes)
{
    uint8_t *map = known_map(allocation, address);
    if (map != NULL)
        memset(map, 0, bytes);
}

void origin_forget(Allocation *allocation, uint64_t address, uint64_t bytes)
{
    if (address == allocation->address && bytes == allocation->bytes)
        origin_free(allocation);
    else
        origin_clear(allocation, address, bytes);
}

bool origin_is_host(Allocation *allocation, uint64_t address, uint64_t bytes)
{
    const uint8_t *map = known_map(allocation, address);
    return map != NULL && memchr(map, 1, bytes) != NULL;
}
