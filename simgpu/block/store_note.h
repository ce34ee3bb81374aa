/* store_note.h - tells the memory of a kernel's stores, which take bytes over from the host (memory/origin.h).  */
#ifndef SIMGPU_BLOCK_STORE_NOTE_H
#define SIMGPU_BLOCK_STORE_NOTE_H

#include "simgpu/block/active.h"
#include "simgpu/cost/pattern.h"

typedef struct AllocationCache AllocationCache; /* worker.h */

/* The active lanes store `bytes` each into global memory, at the distances of the pattern from `first`. The access is
 * allowed, and the note knows of it. */
void store_note(Worker *worker, const AllocationCache *note, const Active *active, uint64_t first,
                const Pattern *pattern, uint32_t bytes);
/* The same for one lane. */
void store_note_word(Worker *worker, const AllocationCache *note, uint64_t address, uint32_t bytes);

#endif
