#include "simgpu/block/cluster.h"

#include "simgpu/block/worker.h"

uint64_t cluster_block(const Launch *launch, uint64_t cluster, uint32_t rank)
{
    const uint32_t *grid = launch->request->shape.grid, *extent = launch->cluster;
    const uint32_t across = grid[0] / extent[0], along = grid[1] / extent[1];
    uint64_t x = cluster % across * extent[0] + rank % extent[0];
    uint64_t y = cluster / across % along * extent[1] + rank / extent[0] % extent[1];
    uint64_t z = cluster / across / along * extent[2] + rank / extent[0] / extent[1];
    return (z * grid[1] + y) * grid[0] + x;
}

uint32_t cluster_rank(const Worker *worker)
{
    const uint32_t *extent = worker->launch->cluster, *index = worker->block_index;
    return (index[2] % extent[2] * extent[1] + index[1] % extent[1]) * extent[0] + index[0] % extent[0];
}

Worker *shared_owner(Worker *worker, uint64_t address, SharedPlace *why)
{
    const Cluster *cluster = worker->cluster;
    *why = SHARED_INSIDE;
    if (!is_of_other_block(address))
        return worker;
    uint64_t rank = (address >> CLUSTER_SHIFT) - 1;
    if (cluster != NULL && rank < cluster->count && cluster->blocks[rank] == worker)
        return worker;
    if (cluster == NULL || rank >= cluster->count)
        *why = SHARED_OUTSIDE;
    else if (!cluster->has_met)
        *why = SHARED_NOT_BEGUN;
    else if (cluster->blocks[rank]->live_count == 0)
        *why = SHARED_ENDED;
    return *why == SHARED_INSIDE ? cluster->blocks[rank] : NULL;
}

unsigned char *shared_place(Worker *worker, uint64_t address, uint32_t bytes, SharedPlace *why)
{
    Worker *owner = shared_owner(worker, address, why);
    uint64_t size = worker->launch->shared_bytes, offset = owner == NULL ? size : address;
    if (owner != NULL && is_of_other_block(address))
        offset = shared_offset(address);
    if (offset < size && size - offset >= bytes)
        return owner->shared + offset;
    if (*why == SHARED_INSIDE)
        *why = SHARED_OUTSIDE;
    return NULL;
}
