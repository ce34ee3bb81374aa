/* address_range.h - hands out pieces of one range of addresses, each between two red zones.
 *
 * This is only bookkeeping: the memory at the addresses is the caller's. The red zones of a piece are
 * ADDRESS_ZONE_BYTES long on either side and belong to no other piece. A piece's size is rounded up; the bytes between
 * its end and the rounded end belong to the zone behind it. A new piece gets the first gap that is large enough.  */
#ifndef HARNESS_DEVICE_ADDRESS_RANGE_H
#define HARNESS_DEVICE_ADDRESS_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ADDRESS_ALIGNMENT = 512, /* of cudaMalloc() on current GPUs; the Programming Guide promises 256 */
    ADDRESS_ZONE_BYTES = 4096
};

typedef struct ZonePattern { /* what the red zones of a piece hold, again and again; chosen by the caller */
    uint32_t before, behind;
    uint8_t rest; /* in the bytes from the end of the piece to the next multiple of 4 */
} ZonePattern;

typedef struct AddressPiece {
    uint64_t address, bytes;
    ZonePattern zones;
} AddressPiece;

typedef struct AddressRange { /* {.base = B, .span = S} is empty */
    uint64_t base, span;
    AddressPiece *pieces; /* [count], sorted by address */
    size_t count, capacity;
    uint64_t used_bytes; /* sum of all pieces */
} AddressRange;

/* NULL: there is no room. The pointer is valid until the next piece is taken or given back. */
AddressPiece *address_take(AddressRange *range, uint64_t bytes);
/* The same at the address of an earlier piece; NULL: that place is not free. */
AddressPiece *address_take_at(AddressRange *range, uint64_t address, uint64_t bytes);
/* False: no piece begins there. */
bool address_give_back(AddressRange *range, uint64_t address);
/* The piece that holds all of [address, address + bytes); NULL: none does. */
AddressPiece *address_find(const AddressRange *range, uint64_t address, uint64_t bytes);
/* The zones of a piece are [begin, piece->address) and [piece->address + bytes, end). */
uint64_t address_zones_begin(const AddressPiece *piece);
uint64_t address_zones_end(const AddressPiece *piece);
void address_range_free(AddressRange *range);

#endif
