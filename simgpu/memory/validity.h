/* validity.h - which bytes of an allocation anything has been written to.
 *
 * One byte stands for one byte, so that several threads may mark neighbours at the same time. Memory that has been
 * written all over, module variables (CUDA gives them contents) and allocations too large to keep such a list of have
 * none, and count as written.  */
#ifndef SIMGPU_MEMORY_VALIDITY_H
#define SIMGPU_MEMORY_VALIDITY_H

#include "simgpu/memory/allocation.h"

enum { VALIDITY_MAX_BYTES = 16 << 20 };

/* A new allocation: nothing is written. */
void validity_new(Allocation *allocation);
void validity_free(Allocation *allocation);
/* Marks [address, address + bytes), which lie within. Several threads may do so at a time. */
void validity_mark(Allocation *allocation, uint64_t address, uint64_t bytes);
void validity_unmark(Allocation *allocation, uint64_t address, uint64_t bytes);
/* Has every byte been written? */
bool validity_holds(const Allocation *allocation, uint64_t address, uint64_t bytes);
/* Puts `byte` wherever nothing has been written. */
void validity_fill_rest(const Allocation *allocation, uint8_t byte);
/* Gives the list up where all of it is written. */
void validity_settle(Allocation *allocation);

#endif
