/* launch_heap.h - the stack of a kernel's threads, and the heap of device malloc().  */
#ifndef SIMGPU_GPU_LAUNCH_HEAP_H
#define SIMGPU_GPU_LAUNCH_HEAP_H

#include "simgpu/block/launch.h"
#include "simgpu/gpu/gpu.h"

/* The driver gives a kernel what its calls need, where that is known. */
uint32_t launch_stack_bytes(const SimLaunch *request);
/* Begins the heap, where the kernel uses it. All blocks that it will ever see are numbered one behind the other. */
void launch_take_heap(SimGpu *gpu, const SimLaunch *request, Launch *launch);

#endif
