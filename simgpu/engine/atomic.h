/* atomic.h - atom and red: one lane after the other reads, computes and writes.  */
#ifndef SIMGPU_ENGINE_ATOMIC_H
#define SIMGPU_ENGINE_ATOMIC_H

#include "simgpu/block/active.h"
#include "simgpu/code/code.h"

/* False where a fault ended the block. */
bool execute_atomic(Worker *worker, const Instruction *instruction, Active *active);

#endif
