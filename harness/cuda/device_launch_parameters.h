/* device_launch_parameters.h - threadIdx, blockIdx, blockDim and gridDim, which cuda_runtime.h declares.  */
#include "cuda_runtime.h"
