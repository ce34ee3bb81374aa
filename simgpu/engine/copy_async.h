/* copy_async.h - cp.async: copies from global to shared memory.  */
#ifndef SIMGPU_ENGINE_COPY_ASYNC_H
#define SIMGPU_ENGINE_COPY_ASYNC_H

#include "simgpu/block/active.h"
#include "simgpu/code/code.h"

/* False where a fault ended the block. */
bool execute_copy_async(Worker *worker, const Instruction *instruction, Active *active);

#endif
