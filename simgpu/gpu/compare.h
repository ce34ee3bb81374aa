/* compare.h - runs a launch by both engines, interpreter and translator, and names the first difference.  */
#ifndef SIMGPU_GPU_COMPARE_H
#define SIMGPU_GPU_COMPARE_H

#include "simgpu/gpu/gpu.h"
#include "simgpu/simgpu.h"

void launch_compared(SimGpu *gpu, const SimLaunch *launch, SimReport *report);

#endif
