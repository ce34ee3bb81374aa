/* memory_note.h - what a worker remembers about one memory instruction.  */
#ifndef SIMGPU_BLOCK_MEMORY_NOTE_H
#define SIMGPU_BLOCK_MEMORY_NOTE_H

#include "simgpu/block/limits.h"
#include "simgpu/cost/pattern.h"

typedef struct Worker Worker;

typedef struct MemoryNote {
    uint64_t begin, end; /* of the allocation hit last */
    int allocation;      /* its index; -1: none yet */
    uint64_t low, high;  /* addresses touched in it so far */
    bool loaded_watched; /* loaded from the watched allocation, and has gone on to another since */
    Pattern pattern;     /* of lanes that are a range */
    Pattern masked;      /* of the lanes in `bits`, which has gaps */
    uint32_t bits[MAX_WARPS];
} MemoryNote;

typedef struct Touched {
    uint64_t low, high; /* low > high: nothing */
} Touched;

/* Remembers that `bytes` at `address` were loaded or stored; false where they lie in no one allocation. */
bool note_access(Worker *worker, MemoryNote *note, bool is_store, uint64_t address, uint64_t bytes);
void note_forget(Worker *worker, MemoryNote *note, bool is_store);

#endif
