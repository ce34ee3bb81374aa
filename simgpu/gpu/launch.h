/* launch.h - runs one grid to its end.  */
#ifndef SIMGPU_GPU_LAUNCH_H
#define SIMGPU_GPU_LAUNCH_H

#include "simgpu/gpu/gpu.h"
#include "simgpu/simgpu.h"

typedef struct LaunchHow {
    bool interprets; /* uses no translation, even if there is a translator */
    int helpers;     /* most threads beside the caller's */
} LaunchHow;
/* False where the GPU cannot run it; the report says why. */
bool launch_is_possible(const SimGpu *gpu, const SimLaunch *launch, SimReport *report);
void launch_run(SimGpu *gpu, const SimLaunch *launch, const LaunchHow *how, SimReport *report);

#endif
