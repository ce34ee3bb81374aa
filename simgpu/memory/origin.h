/* origin.h - which bytes of an allocation come from the host, and not from a kernel's store.
 *
 * A map has one byte for each byte of the allocation, so that several threads may change neighbours at the same time.
 * Only allocations that the host has written to have a map, and those that it wrote as a whole, when they were blank, get
 * theirs when it is first needed. Copies within the device carry the map along; a kernel's
 * store takes the bytes out of it.
 *
 * A byte that the host writes counts only if it changes something and is not zero: clearing memory for kernels that
 * add to it is not computing. Module variables begin without a map: the compiler put there what they hold.  */
#ifndef SIMGPU_MEMORY_ORIGIN_H
#define SIMGPU_MEMORY_ORIGIN_H

#include "simgpu/memory/validity.h"

void origin_free(Allocation *allocation);
/* The host is about to write `bytes` from `from` to `address`. */
void origin_write(Allocation *allocation, uint64_t address, const void *from, uint64_t bytes);
/* The host is about to fill [address, address + bytes) with one value. */
void origin_fill(Allocation *allocation, uint64_t address, uint8_t value, uint64_t bytes);
/* [address, address + bytes) is copied from another place, which may overlap it. */
void origin_copy(Allocation *to, uint64_t address, Allocation *from, uint64_t from_address, uint64_t bytes);
/* From now on no byte of [address, address + bytes) comes from the host. Several threads may say so at the same
 * time. */
void origin_clear(Allocation *allocation, uint64_t address, uint64_t bytes);
/* The same, while no kernel runs. An allocation of which nothing is left that could come from the host has no map any
 * more, and kernels' stores into it need not be noted. */
void origin_forget(Allocation *allocation, uint64_t address, uint64_t bytes);
/* Makes the map now where that was put off, for a caller that reads Allocation.from_host itself. */
void origin_make_map(Allocation *allocation);
/* Does any byte come from the host? */
bool origin_is_host(Allocation *allocation, uint64_t address, uint64_t bytes);

#endif
