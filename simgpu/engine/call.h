/* call.h - calls of procedures: the stack of each lane.
 *
 * A call keeps the registers that its caller still needs, and a return puts them back. So procedures need no registers
 * of their own, and may call themselves. Local memory holds the frames of a lane's calls, one behind the other; the
 * frame of the kernel comes first.
 *
 * Limit   cudaLimitStackSize bytes per thread, of which each call takes what it takes on hardware.  */
#ifndef SIMGPU_ENGINE_CALL_H
#define SIMGPU_ENGINE_CALL_H

#include "simgpu/block/group.h"
#include "simgpu/block/worker.h"

/* Moves the lanes of the group, all at the end of a basic block with a call, to the start of the procedure. False where
 * one has no stack left, or calls what is no function: a fault. */
bool call_enter(Worker *worker, Group *group, const BasicBlock *block);
/* Moves the lanes for which the guard holds back to behind their calls. */
bool call_return(Worker *worker, Group *group, const BasicBlock *block);

#endif
