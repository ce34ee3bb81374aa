#include "simgpu/gpu/launch_heap.h"

#include "simgpu/cost/cost.h"

uint32_t launch_stack_bytes(const SimLaunch *request)
{
    uint32_t bytes = request->stack_bytes > 0 ? request->stack_bytes : SIM_STACK_BYTES;
    uint32_t least = request->function->code.least_stack;
    return bytes > least ? bytes : least;
}

void launch_take_heap(SimGpu *gpu, const SimLaunch *request, Launch *launch)
{
    if (!request->function->code.uses_heap)
        return;
    memory_begin_heap(&gpu->memory, request->heap_bytes > 0 ? request->heap_bytes : SIM_HEAP_BYTES);
    uint32_t resident = cost_resident_blocks(&gpu->profile, &request->function->info, launch->threads,
                                             request->shape.dynamic_shared_bytes);
    launch->resident_blocks = (uint64_t)resident * gpu->profile.multiprocessors;
    launch->first_heap_block = gpu->heap_blocks;
    gpu->heap_blocks += launch->blocks + launch->resident_blocks;
}
