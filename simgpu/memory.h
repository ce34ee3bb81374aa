/* memory.h - the device memory of a simulated GPU: one reserved range of addresses, and what is allocated in it.
 *
 * An allocation begins on a page of its own and is followed by at least one page that nobody may touch, so that small
 * overruns of host code fault as well. Kernels are checked exactly, to the byte.
 *
 * Contents  fresh memory holds MEMORY_PATTERN in every byte: reading what was never written gives conspicuous values,
 *           the same in every run.
 * Threads   changed by one thread only, never during a launch.  */
#ifndef SIMGPU_MEMORY_H
#define SIMGPU_MEMORY_H

#include "simgpu/simgpu.h"

enum { MEMORY_PATTERN = 0xCD };

typedef struct Allocation {
    uint64_t address, bytes;
    const char *name;  /* of a module variable; NULL for an allocation. Not owned */
    bool kernel_wrote;
    char label[32];         /* what its user calls it; "": nothing */
    uint32_t element_bytes; /* with a label */
    uint8_t *written;       /* validity.h; owned */
} Allocation;

typedef struct Memory {
    uint64_t base, span;
    uint64_t limit, used;      /* bytes of allocations */
    Allocation *allocations;   /* [count], by address */
    int count, capacity;
    int pattern_file;          /* pages of the pattern, mapped copy-on-write; -1: none to be had */
} Memory;

/* Reserves [base, base + span); base 0: anywhere. */
MUST_USE Status memory_new(uint64_t base, uint64_t span, uint64_t limit, Memory *memory, Message *why);
void memory_free(Memory *memory);

/* 0 where the limit is passed or no gap is large enough. `name`: of a variable, NULL otherwise. */
uint64_t memory_alloc(Memory *memory, uint64_t bytes, const char *name);
bool memory_release(Memory *memory, uint64_t address);

/* Index of the living allocation that holds `address`; -1: none. */
int memory_find(const Memory *memory, uint64_t address);
/* Index of the allocation nearest to `address`; -1: there is none at all. */
int memory_nearest(const Memory *memory, uint64_t address);

#endif
