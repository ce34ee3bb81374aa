/* heap_call.h - malloc() and free() in kernels.  */
#ifndef SIMGPU_ENGINE_HEAP_CALL_H
#define SIMGPU_ENGINE_HEAP_CALL_H

#include "simgpu/block/active.h"
#include "simgpu/block/worker.h"

void execute_malloc(Worker *worker, const Instruction *instruction, Active *active);
/* False where a lane frees what malloc() has not given, or not any more: a fault. */
bool execute_free(Worker *worker, const Instruction *instruction, Active *active);

#endif
