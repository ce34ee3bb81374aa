/* memory.h - the device memory of a simulated GPU: one reserved range of addresses, and what is allocated in it.
 *
 * An allocation begins on a page of its own, and at least one inaccessible page follows it, so that small overruns of
 * host code fault as well. The accesses of kernels are checked to the byte.
 *
 * Contents  memory that nothing has written holds one byte everywhere, at first SIM_UNINITIALISED_BYTE, so that reading
 *           it gives conspicuous values, the same in every run.
 * Threads   changed by one thread only, never during a launch.  */
#ifndef SIMGPU_MEMORY_MEMORY_H
#define SIMGPU_MEMORY_MEMORY_H

#include "base/status.h"
#include "simgpu/memory/allocation.h"
#include "simgpu/memory/heap.h"

typedef struct Released {
    uint64_t address, bytes;
} Released;

enum { MEMORY_RELEASED = 64 };

typedef struct Memory {
    uint64_t base, span;
    uint64_t limit, used;    /* bytes of allocations */
    Allocation *allocations; /* [count], by address */
    int count, capacity;
    Released released[MEMORY_RELEASED]; /* the last ones whose pages are not in use again */
    uint64_t released_count;
    uint8_t uninitialised_byte; /* fills memory that nothing has written, */
    uint8_t odd_byte;           /*   in blocks with odd numbers, but for device memory */
    Heap heap;
    int pattern_file; /* pages of that byte, mapped copy-on-write; -1: no such file could be made */
} Memory;

/* Reserves [base, base + span); base 0: anywhere. */
MUST_USE Status memory_new(uint64_t base, uint64_t span, uint64_t limit, Memory *memory, Message *why);
void memory_free(Memory *memory);

/* Fills memory that nothing has written with other bytes from now on, in the living allocations as well. */
void memory_set_uninitialised_bytes(Memory *memory, uint8_t byte, uint8_t odd);

/* The address; 0 where the limit would be passed or no gap is large enough. `name`: of a module variable, else NULL. */
uint64_t memory_alloc(Memory *memory, uint64_t bytes, const char *name);
/* The same at a given address, the start of a page; false where that place is not free, or the limit would be passed. */
bool memory_alloc_at(Memory *memory, uint64_t address, uint64_t bytes);
bool memory_release(Memory *memory, uint64_t address);

/* Index of the living allocation that holds `address`; -1: none. */
int memory_find(const Memory *memory, uint64_t address);
/* The allocation, released not long ago, that held an address where nothing is allocated now; NULL: none is known. */
const Released *memory_find_released(const Memory *memory, uint64_t address);
/* Makes the heap of kernels, if there is none yet and memory is left. */
void memory_begin_heap(Memory *memory, uint64_t bytes);
/* As heap_allocate(); what was there before is gone. */
uint64_t memory_heap_allocate(Memory *memory, HeapUser user, uint64_t bytes);
void memory_forget_released(Memory *memory);
/* Index of the allocation nearest to `address`; -1: there are no allocations. */
int memory_nearest(const Memory *memory, uint64_t address);

#endif
