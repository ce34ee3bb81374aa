/* far_access.h - loads from and stores into the shared memory of other blocks of the cluster.  */
#ifndef SIMGPU_ENGINE_FAR_ACCESS_H
#define SIMGPU_ENGINE_FAR_ACCESS_H

#include "simgpu/block/active.h"
#include "simgpu/code/code.h"

/* Does a load or a store go to another block? `far` are the lanes that do so, `near` the others. */
bool far_access_finds(Worker *worker, const Instruction *instruction, const Active *active, Active *far, Active *near);
/* Executes it in the lanes of `far`; false where a fault ended the block. */
bool execute_far_access(Worker *worker, const Instruction *instruction, Active *far, bool is_store);

#endif
