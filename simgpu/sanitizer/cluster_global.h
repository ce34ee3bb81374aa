/* cluster_global.h - races among the blocks of a cluster in global memory.
 *
 * As in cluster_races.h, the barrier of the cluster orders what its blocks did in one phase ahead of what they do in the
 * next one, and blocks that may have waited for others in another way count as ordered with all of them. Stores of one
 * value, and atomic operations among themselves, do not race. Races with blocks of other clusters are block_races.h's.
 *
 * Bounds   Of a phase, as many cells are known as the table has room for; what finds no room is not compared.  */
#ifndef SIMGPU_SANITIZER_CLUSTER_GLOBAL_H
#define SIMGPU_SANITIZER_CLUSTER_GLOBAL_H

#include "simgpu/sanitizer/cluster_races.h"

void cluster_global_free(ClusterGlobal *global);
/* `values`: what is stored; NULL: what the store's registers hold. Does nothing outside of clusters. */
void cluster_global_access(Worker *worker, const Instruction *instruction, ClusterAccess how, uint32_t lane,
                           uint64_t address, uint32_t bytes, const unsigned char *values);

#endif
