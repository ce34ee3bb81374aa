#include "simgpu/memory/validity.h"

#include <stdlib.h>
#include <string.h>

/* calloc() gives pages of zeros that take no memory until they are marked. Where it fails, all counts as written. */
void validity_new(Allocation *allocation)
{
    bool has_map = allocation->name == NULL && allocation->bytes <= VALIDITY_MAX_BYTES;
    allocation->written = has_map ? calloc(allocation->bytes, 1) : NULL;
}

void validity_free(Allocation *allocation)
{
    free(allocation->written);
    allocation->written = NULL;
}

void validity_mark(Allocation *allocation, uint64_t address, uint64_t bytes)
{
    if (allocation->written != NULL)
        memset(allocation->written + (address - allocation->address), 1, bytes);
}

void validity_unmark(Allocation *allocation, uint64_t address, uint64_t bytes)
{
    if (allocation->written == NULL) {
        validity_new(allocation);
        if (allocation->written == NULL || bytes == allocation->bytes)
            return;
        memset(allocation->written, 1, allocation->bytes);
    }
    memset(allocation->written + (address - allocation->address), 0, bytes);
}

bool validity_holds(const Allocation *allocation, uint64_t address, uint64_t bytes)
{
    return allocation->written == NULL ||
           memchr(allocation->written + (address - allocation->address), 0, bytes) == NULL;
}

void validity_fill_rest(const Allocation *allocation, uint8_t byte)
{
    uint8_t *memory = (uint8_t *)allocation->address;
    for (uint64_t i = 0; allocation->written != NULL && i < allocation->bytes; i++)
        if (!allocation->written[i])
            memory[i] = byte;
}

void validity_settle(Allocation *allocation)
{
    if (validity_holds(allocation, allocation->address, allocation->bytes))
        validity_free(allocation);
}
