/* memory_note.h - what a worker remembers about one memory instruction.  */
#ifndef SIMGPU_BLOCK_MEMORY_NOTE_H
#define SIMGPU_BLOCK_MEMORY_NOTE_H

#include "simgpu/block/limits.h"
#include "simgpu/code/code.h"
#include "simgpu/cost/pattern.h"

typedef struct Worker Worker;

typedef struct MemoryNote {
    uint64_t begin, end; /* of the allocation that was accessed last */
    int allocation;      /* its index; -1: none yet */
    uint64_t low, high;  /* addresses accessed in it so far */
    bool loaded_watched; /* has loaded from the watched source, and later from another allocation */
    Pattern pattern;     /* of active lanes without gaps */
    Pattern masked;      /* of active lanes with gaps, those in `bits` */
    uint32_t bits[MAX_WARPS];
} MemoryNote;

/* The accessed range of an allocation. */
typedef struct Touched {
    uint64_t low, high; /* low > high: nothing */
} Touched;

/* Widens each of the `count` ranges by the same of another worker. */
void touched_add(Touched *sum, const Touched *part, int count);
/* Notes that `bytes` at `address` are loaded or stored. False where they do not all lie in one allocation. */
bool note_access(Worker *worker, MemoryNote *note, bool is_store, uint64_t address, uint64_t bytes);
/* Adds what the note has of its allocation to worker->loaded or worker->stored, and empties it. */
void note_forget(Worker *worker, MemoryNote *note, bool is_store);

#endif
