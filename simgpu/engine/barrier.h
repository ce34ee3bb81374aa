/* barrier.h - barriers of a block.  */
#ifndef SIMGPU_ENGINE_BARRIER_H
#define SIMGPU_ENGINE_BARRIER_H

#include "simgpu/block/group.h"
#include "simgpu/code/code.h"

/* ==== cluster barrier ============================================================================================= */

/* The barrier of a cluster, at which a thread arrives and for which it waits later. */

/* The group has reached the wait that ends `block`; false where a fault ended the block. */
bool cluster_wait(Worker *worker, Group *group, const BasicBlock *block);
/* Opens the barrier if all threads of the cluster that have not exited have arrived. */
void cluster_barrier_open(const Worker *worker);

/* ==== barrier ===================================================================================================== */

/* All return false where a fault ended the block. */

/* The group has reached the barrier that ends `block`. */
bool barrier_arrive(Worker *worker, Group *group, const BasicBlock *block);
/* Lets groups go on that waited for lanes which have exited now. */
bool barrier_release_all(Worker *worker);
/* Tells the sanitizer, which must not be NULL, if threads have exited before the __syncthreads() that ends basic block
 * `block`, at which lane `waiting` has arrived. */
void barrier_note_exits(Worker *worker, int32_t block, uint32_t waiting);
/* Looks whether the warps have taken more registers than the block has; all of them have come to this point. */
bool registers_suffice(Worker *worker);
/* Reports that no group can run while some wait; always false. */
bool barrier_deadlock(Worker *worker);

#endif
