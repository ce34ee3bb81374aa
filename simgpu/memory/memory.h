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
#include "simgpu/memory/validity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== heap ======================================================================================================== */

/* The heap that malloc() and new take from in kernels.
 *
 * The heap is one allocation of device memory. Its pieces begin at multiples of 16 bytes, each behind 16 bytes that
 * belong to none, as in the heap of CUDA; so every access can be checked against the piece that it means.
 *
 * Reuse    On hardware, many blocks of threads are resident at a time and hold their pieces together, while here one
 *          runs after the other. So a piece that a block has freed is free for itself at once, but for others only when
 *          as many blocks have begun since as can be resident. malloc() fails here where it may fail there.
 * Threads  changed by one thread at a time: a launch that uses the heap has one worker. */

typedef struct HeapPiece {
    uint64_t offset, bytes; /* in the heap; as malloc() was asked */
    uint64_t room;          /* multiple of 16 */
    bool is_free;
    uint64_t freed_by; /* which block of which launch (HeapUser.block) */
} HeapPiece;

typedef struct Heap {
    uint64_t address, bytes; /* bytes 0: there is no heap yet */
    HeapPiece *pieces;       /* [count], by offset */
    uint32_t *piece_of;      /* [bytes / 16] 1 + the piece that the 16 bytes belong to; 0: none */
    size_t count, capacity;
    size_t next;          /* piece at which the search for a free one begins */
    uint64_t end;         /* offset behind the last piece */
    uint64_t live, taken; /* pieces that are not free, and their bytes */
} Heap;

/* The thread that asks. */
typedef struct HeapUser {
    uint64_t block;    /* blocks that began since the heap exists */
    uint64_t resident; /* blocks that hardware may hold at a time */
} HeapUser;

typedef enum HeapFree { HEAP_FREED, HEAP_NO_PIECE, HEAP_FREED_BEFORE } HeapFree;

/* The address; 0 where there is no room. */
HeapFree heap_free(Heap *heap, HeapUser user, uint64_t address);
/* Do all bytes lie in one piece that is not free? */
bool heap_holds(const Heap *heap, uint64_t address, uint64_t bytes);
/* The piece that holds the address, or the last one before it; NULL: none. */
const HeapPiece *heap_nearest(const Heap *heap, uint64_t address);

/* ==== memory ====================================================================================================== */

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
    int pattern_file; /* pages of that byte, mapped copy-on-write; -1: none has been made */
} Memory;

/* Reserves [base, base + span); base 0: anywhere. */
MUST_USE Status memory_new(uint64_t base, uint64_t span, uint64_t limit, Memory *memory, Message *why);
void memory_free(Memory *memory);

/* Fills memory that nothing has written with other bytes from now on, in the living allocations as well. */
void memory_set_uninitialised_bytes(Memory *memory, uint8_t byte, uint8_t odd);

/* The address; 0 where the limit would be passed or no gap is large enough. `name`: of a module variable, else NULL. */
uint64_t memory_alloc(Memory *memory, uint64_t bytes, const char *name);
/* The address that memory_alloc() would return, although nothing is allocated. */
uint64_t memory_find_room(const Memory *memory, uint64_t bytes);
/* Allocates at a given address, the start of a page, for a caller that writes all of it before anything reads it: it is
 * not filled, and counts as written. False where that place is not free, or the limit would be passed. */
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
