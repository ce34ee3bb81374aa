/* address_range.h - hands out pieces of one range of addresses, each between two red zones.
 *
 * Only bookkeeping: what lies at the addresses is the caller's. A piece's zones are ADDRESS_ZONE_BYTES long on either
 * side and belong to no other piece; what lies between the end of a piece and its zone (its size rounded up) counts as
 * zone as well. The first gap that is large enough is taken.  */
#ifndef HARNESS_DEVICE_ADDRESS_RANGE_H
#define HARNESS_DEVICE_ADDRESS_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ADDRESS_ALIGNMENT = 512, /* of cudaMalloc() on the GPUs of today; the Programming Guide promises 256 */
    ADDRESS_ZONE_BYTES = 4096
};

typedef struct AddressPiece {
    uint64_t address, bytes;
    uint64_t copied_bytes; /* that copies, not kernels, have put there; the caller counts */
} AddressPiece;

typedef struct AddressRange { /* {.base = B, .span = S} is empty */
    uint64_t base, span;
    AddressPiece *pieces; /* by address */
    size_t count, capacity;
    uint64_t used_bytes; /* sum of all pieces */
} AddressRange;

/* NULL where there is no room. Valid until the next piece is taken or given back. */
AddressPiece *address_take(AddressRange *range, uint64_t bytes);
/* False where no piece begins there. */
bool address_give_back(AddressRange *range, uint64_t address);
/* The piece that holds all of [address, address + bytes); NULL where there is none. */
AddressPiece *address_find(const AddressRange *range, uint64_t address, uint64_t bytes);
/* Where a piece's zones end: [first, piece->address) before it, [piece->address + bytes, end) behind it. */
uint64_t address_zones_begin(const AddressPiece *piece);
uint64_t address_zones_end(const AddressPiece *piece);
void address_range_free(AddressRange *range);

#endif
