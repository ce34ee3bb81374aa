/* atomic.h - atom and red: one lane after the other reads, computes and writes.  */
#ifndef SIMGPU_ENGINE_ATOMIC_H
#define SIMGPU_ENGINE_ATOMIC_H

#include "simgpu/block/active.h"
#include "simgpu/code/code.h"

/* What an atomic operation makes of the word `old` of 2^size bytes. */
uint64_t atomic_value(AtomicKind kind, uint32_t size, bool is_signed, uint64_t old, uint64_t b, uint64_t c);
/* False where a fault ended the block. */
bool execute_atomic(Worker *worker, const Instruction *instruction, Active *active);

#endif
