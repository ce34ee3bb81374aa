/* barrier.h - barriers of a block.  */
#ifndef SIMGPU_BARRIER_BARRIER_H
#define SIMGPU_BARRIER_BARRIER_H

#include "simgpu/block/group.h"
#include "simgpu/code/code.h"

/* All return false where a fault ended the block. */

/* The group has reached the barrier that ends `block`. */
bool barrier_arrive(Worker *worker, Group *group, const BasicBlock *block);
/* Lets groups go on that waited for lanes which have exited now. */
bool barrier_release_all(Worker *worker);
/* Reports that no group can run while some wait; always false. */
bool barrier_deadlock(Worker *worker);

#endif
