/* cooperative.h - what a cooperative launch needs: room for all its blocks at once, and a workspace for grid.sync().  */
#ifndef SIMGPU_GPU_COOPERATIVE_H
#define SIMGPU_GPU_COOPERATIVE_H

#include "simgpu/gpu/gpu.h"
#include "simgpu/simgpu.h"

/* Makes the workspace, unless there is one. Does nothing for all other launches. */
void cooperative_reserve(SimGpu *gpu, const SimLaunch *launch);
/* False: the launch does not fit, and the report says why. True for all other launches. */
bool cooperative_check(SimGpu *gpu, const SimLaunch *launch, SimReport *report);
/* The address of the workspace, which is cleared; 0 for all other launches. */
uint64_t cooperative_workspace(const SimGpu *gpu, const SimLaunch *launch);

#endif
