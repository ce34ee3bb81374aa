/* cluster.h - the blocks of a cluster, which can access each other's shared memory. One thread of the host runs them all,
 * a worker for each.  */
#ifndef SIMGPU_BLOCK_CLUSTER_H
#define SIMGPU_BLOCK_CLUSTER_H

#include "simgpu/code/code.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Worker Worker;
typedef struct Launch Launch;

typedef struct Cluster {
    Worker *blocks[MAX_CLUSTER]; /* [launch->cluster_blocks] by rank */
    uint32_t count;
    uint64_t first_block; /* lowest number in the grid among them */
    uint64_t number;      /* among the clusters of the grid */
    bool has_met;         /* its barrier has opened, so that all its blocks have begun */
} Cluster;

/* The number in the grid of a block of a cluster. Clusters are counted along x, then y, then z, and so are blocks. */
uint64_t cluster_block(const Launch *launch, uint64_t cluster, uint32_t rank);
/* The rank of the worker's block in its cluster. */
uint32_t cluster_rank(const Worker *worker);

/* What may be wrong with an address of shared memory. */
typedef enum SharedPlace { SHARED_INSIDE, SHARED_OUTSIDE, SHARED_NOT_BEGUN, SHARED_ENDED } SharedPlace;

/* The worker in whose shared memory an address lies (code.h); NULL where it may not access it, and `why` says why. */
Worker *shared_owner(Worker *worker, uint64_t address, SharedPlace *why);
/* The offset of a shared address in the memory of its block. */
static inline uint64_t shared_offset(uint64_t address)
{
    return address & ((1ull << CLUSTER_SHIFT) - 1);
}
static inline bool is_of_other_block(uint64_t address)
{
    return address >> CLUSTER_SHIFT != 0 && address >> CLUSTER_SHIFT <= MAX_CLUSTER + 1;
}
/* Where `bytes` at an address of shared memory lie; NULL where that is outside, or nobody's. */
unsigned char *shared_place(Worker *worker, uint64_t address, uint32_t bytes, SharedPlace *why);

#endif
