#include "harness/device/address_range.h"

#include <stdlib.h>
#include <string.h>

static uint64_t rounded_up(uint64_t bytes)
{
    return (bytes + ADDRESS_ALIGNMENT - 1) / ADDRESS_ALIGNMENT * ADDRESS_ALIGNMENT;
}

uint64_t address_zones_begin(const AddressPiece *piece)
{
    return piece->address - ADDRESS_ZONE_BYTES;
}

uint64_t address_zones_end(const AddressPiece *piece)
{
    return piece->address + rounded_up(piece->bytes) + ADDRESS_ZONE_BYTES;
}

/* The index of the first piece beyond an address. */
static size_t index_after(const AddressRange *range, uint64_t address)
{
    size_t low = 0, high = range->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (range->pieces[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static AddressPiece *insert(AddressRange *range, size_t index, AddressPiece piece)
{
    if (range->count == range->capacity) {
        size_t capacity = range->capacity == 0 ? 64 : 2 * range->capacity;
        AddressPiece *pieces = realloc(range->pieces, capacity * sizeof *pieces);
        if (pieces == NULL)
            return NULL;
        range->pieces = pieces;
        range->capacity = capacity;
    }
    memmove(&range->pieces[index + 1], &range->pieces[index], (range->count - index) * sizeof piece);
    range->pieces[index] = piece;
    range->count++;
    range->used_bytes += piece.bytes;
    return &range->pieces[index];
}

/* The gap before piece `index`, or behind the last one. */
static uint64_t gap_begin(const AddressRange *range, size_t index)
{
    return index > 0 ? address_zones_end(&range->pieces[index - 1]) : range->base;
}

static uint64_t gap_end(const AddressRange *range, size_t index)
{
    return index < range->count ? address_zones_begin(&range->pieces[index]) : range->base + range->span;
}

static bool is_possible(const AddressRange *range, uint64_t bytes)
{
    return bytes > 0 && bytes <= range->span - 2 * ADDRESS_ZONE_BYTES - ADDRESS_ALIGNMENT;
}

AddressPiece *address_take(AddressRange *range, uint64_t bytes)
{
    const uint64_t needed = rounded_up(bytes) + 2 * ADDRESS_ZONE_BYTES;
    for (size_t i = 0; i <= range->count && is_possible(range, bytes); i++) {
        uint64_t gap = gap_begin(range, i);
        if (gap_end(range, i) - gap >= needed)
            return insert(range, i, (AddressPiece){.address = gap + ADDRESS_ZONE_BYTES, .bytes = bytes});
    }
    return NULL;
}

AddressPiece *address_take_at(AddressRange *range, uint64_t address, uint64_t bytes)
{
    const AddressPiece piece = {.address = address, .bytes = bytes};
    const size_t index = index_after(range, address);
    const uint64_t begin = gap_begin(range, index), end = gap_end(range, index);
    if (!is_possible(range, bytes) || address % ADDRESS_ALIGNMENT != 0 || address >= end ||
        address < begin + ADDRESS_ZONE_BYTES || address_zones_end(&piece) > end)
        return NULL;
    return insert(range, index, piece);
}

bool address_give_back(AddressRange *range, uint64_t address)
{
    size_t index = index_after(range, address);
    if (index == 0 || range->pieces[index - 1].address != address)
        return false;
    range->used_bytes -= range->pieces[index - 1].bytes;
    memmove(&range->pieces[index - 1], &range->pieces[index], (range->count - index) * sizeof *range->pieces);
    range->count--;
    return true;
}

AddressPiece *address_find(const AddressRange *range, uint64_t address, uint64_t bytes)
{
    size_t index = index_after(range, address);
    if (index == 0)
        return NULL;
    AddressPiece *piece = &range->pieces[index - 1];
    uint64_t offset = address - piece->address;
    return offset <= piece->bytes && bytes <= piece->bytes - offset && bytes > 0 ? piece : NULL;
}

void address_range_free(AddressRange *range)
{
    free(range->pieces);
    *range = (AddressRange){.base = range->base, .span = range->span};
}
