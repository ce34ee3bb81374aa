/* older_cuda.c - a libcuda.so.1 that is too old for the judge: it has only the call that returns its version.  */
#include "harness/protocol/ring.h"

#pragma GCC visibility push(default)
CudaError cuInit(unsigned flags);
CudaError cuDriverGetVersion(int *version);
#pragma GCC visibility pop

CudaError cuInit(unsigned flags)
{
    return CUDA_ERROR_SUCCESS;
}

CudaError cuDriverGetVersion(int *version)
{
    *version = 11080;
    return CUDA_ERROR_SUCCESS;
}
