/* host_origin.h - remembers what the host has put into device memory, for a device that does not report what kernels
 * store: if the same is still there at the end, no kernel has computed it.
 *
 * Memory is a set of ranges. Each refers to a copy of the bytes that the host wrote there, over and over if it is longer
 * than they are; copies within the device make more ranges that refer to the same bytes. This is only bookkeeping: the device's memory itself is the caller's,
 * and addresses may be any numbers. Zeros tell nothing, because a kernel may leave them as they are: only other values
 * count.
 *
 * Errors   false: there would be more than HOST_ORIGIN_MOST ranges or HOST_ORIGIN_MOST_BYTES, or there is no memory. The
 *          device must not do then what it was asked for.  */
#ifndef HARNESS_DEVICE_HOST_ORIGIN_H
#define HARNESS_DEVICE_HOST_ORIGIN_H

#include "harness/device/device.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== address range =============================================================================================== */

/* Hands out pieces of one range of addresses, each between two red zones.
 *
 * This is only bookkeeping: the memory at the addresses is the caller's. The red zones of a piece are
 * ADDRESS_ZONE_BYTES long on either side and belong to no other piece. A piece's size is rounded up; the bytes between
 * its end and the rounded end belong to the zone behind it. A new piece gets the first gap that is large enough. */

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

/* ==== host origin ================================================================================================= */

enum { HOST_ORIGIN_MOST = 1 << 20 };
#define HOST_ORIGIN_MOST_BYTES (4ull << 30)

typedef struct HostBytes HostBytes;

typedef struct HostRange { /* the host has written [begin, end) */
    uint64_t begin, end;
    HostBytes *bytes; /* shared */
    uint64_t offset;  /* of the first one in `bytes` */
    uint64_t kernels; /* launched before that */
} HostRange;

typedef struct HostOrigin { /* {0} is empty */
    HostRange *ranges;      /* [count], by address, disjoint */
    size_t count, capacity;
    uint64_t held_bytes; /* of all copies of what the host wrote */
    uint64_t kernels;    /* launched so far; counted by the caller */
} HostOrigin;

void host_origin_free(HostOrigin *origin);
MUST_USE bool host_origin_write(HostOrigin *origin, uint64_t to, const void *from, uint64_t bytes);
MUST_USE bool host_origin_fill(HostOrigin *origin, uint64_t to, uint8_t value, uint64_t bytes);
/* The places may overlap. */
MUST_USE bool host_origin_copy(HostOrigin *origin, uint64_t to, uint64_t from, uint64_t bytes);
/* Forgets that [address, address + bytes) is the host's. */
void host_origin_forget(HostOrigin *origin, uint64_t address, uint64_t bytes);

/* Index of the first range that ends behind `address`; `count` if there is none. */
size_t host_origin_find(const HostOrigin *origin, uint64_t address);
/* Compares a part of a range with `now`, what device memory holds there, element by element. `base` is the address of an
 * element. ORIGIN_HOST: no kernel was launched since the host wrote it; ORIGIN_LIKE_HOST: one was, but more than half of
 * what is not zero is still the same; else ORIGIN_UNKNOWN. */
ContentOrigin host_origin_compare(const HostOrigin *origin, const HostRange *range, uint64_t base,
                                  uint32_t element_bytes, const uint8_t *now);

#endif
