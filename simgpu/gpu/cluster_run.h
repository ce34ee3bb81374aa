/* cluster_run.h - runs the blocks of a cluster, which wait for each other.  */
#ifndef SIMGPU_GPU_CLUSTER_RUN_H
#define SIMGPU_GPU_CLUSTER_RUN_H

#include "simgpu/block/cluster.h"

/* Runs the blocks that the workers have begun; false where a fault or a limit ended one. */
bool run_cluster(Cluster *cluster);

#endif
