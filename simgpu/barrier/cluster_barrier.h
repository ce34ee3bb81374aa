/* cluster_barrier.h - the barrier of a cluster, at which a thread arrives and for which it waits later.  */
#ifndef SIMGPU_BARRIER_CLUSTER_BARRIER_H
#define SIMGPU_BARRIER_CLUSTER_BARRIER_H

#include "simgpu/block/group.h"
#include "simgpu/code/code.h"

/* The group has reached the wait that ends `block`; false where a fault ended the block. */
bool cluster_wait(Worker *worker, Group *group, const BasicBlock *block);
/* Opens the barrier if all threads of the cluster that have not exited have arrived. */
void cluster_barrier_open(const Worker *worker);

#endif
