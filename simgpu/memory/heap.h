/* heap.h - the heap that malloc() and new take from in kernels.
 *
 * The heap is one allocation of device memory. Its pieces begin at multiples of 16 bytes, each behind 16 bytes that
 * belong to none, as in the heap of CUDA; so every access can be checked against the piece that it means.
 *
 * Reuse    On hardware, many blocks of threads are resident at a time and hold their pieces together, while here one
 *          runs after the other. So a piece that a block has freed is free for itself at once, but for others only when
 *          as many blocks have begun since as can be resident. malloc() fails here where it may fail there.
 * Threads  changed by one thread at a time: a launch that uses the heap has one worker.  */
#ifndef SIMGPU_MEMORY_HEAP_H
#define SIMGPU_MEMORY_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Who asks. */
typedef struct HeapUser {
    uint64_t block;    /* blocks that began since the heap exists */
    uint64_t resident; /* blocks that hardware may hold at a time */
} HeapUser;

typedef enum HeapFree { HEAP_FREED, HEAP_NO_PIECE, HEAP_FREED_BEFORE } HeapFree;

void heap_begin(Heap *heap, uint64_t address, uint64_t bytes);
void heap_end(Heap *heap);
/* The address; 0 where there is no room. */
uint64_t heap_allocate(Heap *heap, HeapUser user, uint64_t bytes);
HeapFree heap_free(Heap *heap, HeapUser user, uint64_t address);
/* Do all bytes lie in one piece that is not free? */
bool heap_holds(const Heap *heap, uint64_t address, uint64_t bytes);
/* The piece that holds the address, or the last one before it; NULL: none. */
const HeapPiece *heap_nearest(const Heap *heap, uint64_t address);

#endif
