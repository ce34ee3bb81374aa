/* barrier.h - barriers of a block: who waits for whom.  */
#ifndef SIMGPU_ENGINE_BARRIER_H
#define SIMGPU_ENGINE_BARRIER_H

#include "simgpu/block/group.h"
#include "simgpu/code/code.h"

/* All are false where a fault ended the block. */

/* The group has come to the barrier that ends `block`. */
bool barrier_arrive(Worker *worker, Group *group, const BasicBlock *block);
/* Lets go on who waited for lanes that now have exited. */
bool barrier_release_all(Worker *worker);
/* Nobody can run, and some wait: always a fault. */
bool barrier_deadlock(Worker *worker);

#endif
