/* mbarriers.h - tells the sanitizer who arrives and waits at mbarriers, the barriers that are objects in shared memory.  */
#ifndef SIMGPU_SANITIZER_MBARRIERS_H
#define SIMGPU_SANITIZER_MBARRIERS_H

#include "simgpu/block/active.h"
#include "simgpu/cost/pattern.h"
#include "simgpu/sanitizer/sanitizer_state.h"

/* Is it an operation on an mbarrier: an arrival, or a look whether a phase is over? */
static inline bool is_mbarrier(const Instruction *instruction)
{
    return instruction->kind == ATOMIC ? instruction->detail >= ATOMIC_ARRIVE
                                       : instruction->kind == LOAD && instruction->detail == LOAD_MBARRIER;
}

/* A lane arrives at the mbarrier at an offset of the block's shared memory; of that of `owner`, another block. */
void mbarrier_arrive(Worker *worker, const Instruction *instruction, uint32_t lane, uint64_t offset);
void mbarrier_arrive_far(Worker *worker, Worker *owner, const Instruction *instruction, uint32_t lane, uint64_t offset);
/* The active lanes look whether a phase is over; their addresses are those of the pattern, from `first` on. */
void mbarrier_wait(Worker *worker, const Instruction *instruction, PtxSpace space, const Active *active, uint64_t first,
                   const Pattern *pattern);

#endif
