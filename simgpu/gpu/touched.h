/* touched.h - tells the user which memory a launch has touched (SimReport.touched).  */
#ifndef SIMGPU_GPU_TOUCHED_H
#define SIMGPU_GPU_TOUCHED_H

#include "simgpu/block/memory_note.h"
#include "simgpu/gpu/gpu.h"

/* `loaded` and `stored` have one range for each allocation. */
void touched_report(SimGpu *gpu, const Touched *loaded, const Touched *stored, SimReport *report);

#endif
