/* device_launch_parameters.h - threadIdx and its like, which cuda_runtime.h has already.  */
#include "cuda_runtime.h"
