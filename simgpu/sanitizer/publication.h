/* publication.h - which stores of a block other blocks may rely on.
 *
 * A block that has stored a result tells others by an atomic operation, or by a strong store, that it is there. They may
 * rely on it only if a __threadfence() comes after the store and before the telling: a store is first fenced, and then
 * published. Both must be done by the thread itself, or by one of its warp, or by one that has waited for it.
 *
 * Source   PTX ISA 9.0, Memory Consistency Model: Release and Acquire Patterns.  */
#ifndef SIMGPU_SANITIZER_PUBLICATION_H
#define SIMGPU_SANITIZER_PUBLICATION_H

#include "simgpu/sanitizer/sanitizer_state.h"

/* NULL where the kernel has no operation by which blocks can wait for others. */
Publication *publication_new(const Code *code);
void publication_free(Publication *publication);
void publication_begin_block(Publication *publication);
/* A plain store into global memory. */
void publication_store(Worker *worker, const Instruction *store, uint32_t lane, int allocation, uint64_t address,
                       uint32_t bytes);
/* A warp tells others: by an atomic operation, or a strong store. */
void publication_tell(Sanitizer *sanitizer, const Instruction *instruction, uint32_t warp);
/* A strong load, which cannot race: may it see too old a value of what another block has stored and not published? Not if
 * it is the load by which this block waits, the first of its kind. */
bool publication_may_be_missed(Sanitizer *sanitizer, const Instruction *strong_load);
/* The block has ended: what it has not published, nobody may rely on. */
void publication_end_block(Worker *worker);

#endif
