/* cluster.h - the blocks of a cluster, which can access each other's shared memory.  */
#ifndef SIMGPU_BLOCK_CLUSTER_H
#define SIMGPU_BLOCK_CLUSTER_H

#include "simgpu/code/code.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Worker Worker;

/* Where `bytes` at an address of shared memory lie, which may be those of another block of the cluster (code.h); NULL
 * where they lie outside. */
unsigned char *shared_place(const Worker *worker, uint64_t address, uint32_t bytes);

#endif
