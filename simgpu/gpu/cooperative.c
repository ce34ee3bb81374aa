#include "simgpu/gpu/cooperative.h"

#include "simgpu/cost/cost.h"

#include <stdio.h>
#include <string.h>

enum { WORKSPACE_BYTES = 8 };

void cooperative_reserve(SimGpu *gpu, const SimLaunch *launch)
{
    if ((launch->flags & SIM_COOPERATIVE) != 0 && gpu->workspace == 0)
        gpu->workspace = memory_alloc(&gpu->memory, WORKSPACE_BYTES, "the workspace of grid.sync()");
}

bool cooperative_check(SimGpu *gpu, const SimLaunch *launch, SimReport *report)
{
    if ((launch->flags & SIM_COOPERATIVE) == 0)
        return true;
    cooperative_reserve(gpu, launch);
    uint32_t resident = cost_resident_blocks(&gpu->profile, &launch->function->info,
                                             (uint32_t)launch_block_threads(&launch->shape),
                                             launch->shape.dynamic_shared_bytes);
    uint64_t most = (uint64_t)resident * gpu->profile.multiprocessors, blocks = launch_block_count(&launch->shape);
    if (gpu->workspace != 0 && blocks <= most)
        return true;
    report->outcome = SIM_BAD_LAUNCH;
    snprintf(report->fault.text, sizeof report->fault.text,
             gpu->workspace == 0
                 ? "no device memory is left for the workspace of a cooperative launch"
                 : "a cooperative launch of %llu blocks, of which at most %llu fit on the device at once",
             (unsigned long long)blocks, (unsigned long long)most);
    return false;
}

/* Where the blocks count who has come to grid.sync(): two words, of which the first is not used there
 * (cooperative_groups/details/helpers.h of CUDA 13.0, grid_workspace). */
uint64_t cooperative_workspace(const SimGpu *gpu, const SimLaunch *request)
{
    if ((request->flags & SIM_COOPERATIVE) == 0)
        return 0;
    memset((void *)gpu->workspace, 0, WORKSPACE_BYTES);
    return gpu->workspace;
}
