#include "simgpu/block/cluster.h"

#include "simgpu/block/worker.h"

unsigned char *shared_place(const Worker *worker, uint64_t address, uint32_t bytes)
{
    uint64_t size = worker->launch->shared_bytes;
    return address < size && size - address >= bytes ? worker->shared + address : NULL;
}
