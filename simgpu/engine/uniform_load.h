/* uniform_load.h - loads of one address by all lanes.  */
#ifndef SIMGPU_ENGINE_UNIFORM_LOAD_H
#define SIMGPU_ENGINE_UNIFORM_LOAD_H

#include "simgpu/block/active.h"
#include "simgpu/code/code.h"

/* Loads once for all lanes of the block. False, with nothing done, where the load may be a fault: the general way then
 * finds out. */
bool uniform_load(Worker *worker, const Instruction *instruction, const Active *active);

#endif
