/* one_gpu.h - the one simulated H200 that all tests of a file run on. */
#ifndef SIMGPU_TESTS_ONE_GPU_H
#define SIMGPU_TESTS_ONE_GPU_H

#include "simgpu/tests/machine.h"

static SimGpu *gpu;

static inline int new_gpu(void **state)
{
    gpu = machine_new(0, 2);
    return 0;
}

static inline int free_gpu(void **state)
{
    simgpu_free(gpu);
    return 0;
}

#endif
