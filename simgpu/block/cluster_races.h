/* cluster_races.h - races among the blocks of a cluster, in each other's shared memory.
 *
 * The barrier of the cluster orders all that its blocks did in one phase, before they arrived there, ahead of all that
 * they do in the next one. Within a phase, a block that may have waited for others in another way, at an mbarrier or by a
 * flag, counts as ordered with all of them. A block must not end in the phase in which another one uses its memory.
 *
 * Source   CUDA C++ Programming Guide 13.0, Distributed Shared Memory; PTX ISA 9.0, barrier.cluster.  */
#ifndef SIMGPU_BLOCK_CLUSTER_RACES_H
#define SIMGPU_BLOCK_CLUSTER_RACES_H

#include "simgpu/block/sanitizer_state.h"

/* ==== cluster races =============================================================================================== */

typedef enum ClusterAccess { CLUSTER_LOAD, CLUSTER_STORE, CLUSTER_ATOMIC } ClusterAccess;

/* NULL where the kernel does not use its cluster. */
ClusterRaces *cluster_races_new(const Worker *worker);
void cluster_races_free(ClusterRaces *races);
/* The phase of the cluster in which the block is. */
uint32_t cluster_races_phase(const Sanitizer *sanitizer);
/* May the block have waited in this phase for what others have done? */
bool cluster_races_may_have_waited(const Sanitizer *sanitizer);
void cluster_races_begin_block(Sanitizer *sanitizer);
/* The barrier of the cluster opens, or all its blocks have ended. */
void cluster_races_end_phase(Worker *worker);
/* A lane uses its block's own shared memory: one cell of it, the one at offset `place`. */
void cluster_races_near(Worker *worker, const Instruction *instruction, ClusterAccess how, uint32_t lane,
                        uint64_t offset, uint32_t bytes, uint64_t place);
/* A lane loads from, stores into, or makes an atomic operation in, the shared memory of `owner`, another block. */
void cluster_races_access(Worker *worker, Worker *owner, const Instruction *instruction, bool is_store, uint32_t lane,
                          uint64_t offset, uint32_t bytes);
void cluster_races_atomic(Worker *worker, Worker *owner, const Instruction *instruction, uint32_t lane,
                          uint64_t offset);
/* A bulk copy of another block writes there; who waits for it is not checked. */
void cluster_races_filled(Worker *owner, uint64_t offset, uint32_t bytes);

/* ==== cluster global ============================================================================================== */

/* Races among the blocks of a cluster in global memory.
 *
 * As for shared memory, the barrier of the cluster orders what its blocks did in one phase ahead of what they do in the
 * next one, and blocks that may have waited for others in another way count as ordered with all of them. Stores of one
 * value, and atomic operations among themselves, do not race. Races with blocks of other clusters are block_races.h's.
 *
 * Bounds   Of a phase, as many cells are known as the table has room for; what finds no room is not compared. */

void cluster_global_free(ClusterGlobal *global);
/* `values`: what is stored; NULL: what the store's registers hold. Does nothing outside of clusters. */
void cluster_global_access(Worker *worker, const Instruction *instruction, ClusterAccess how, uint32_t lane,
                           uint64_t address, uint32_t bytes, const unsigned char *values);

#endif
