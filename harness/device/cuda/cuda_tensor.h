/* cuda_tensor.h - tensor maps of a real GPU.  */
#ifndef HARNESS_DEVICE_CUDA_CUDA_TENSOR_H
#define HARNESS_DEVICE_CUDA_CUDA_TENSOR_H

#include "harness/device/device.h"

extern const DeviceTensorOps CUDA_TENSOR_OPS;

#endif
