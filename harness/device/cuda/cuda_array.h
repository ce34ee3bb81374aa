/* cuda_array.h - CUDA arrays, textures and surfaces of a real GPU.  */
#ifndef HARNESS_DEVICE_CUDA_CUDA_ARRAY_H
#define HARNESS_DEVICE_CUDA_CUDA_ARRAY_H

#include "harness/device/device.h"

extern const DeviceArrayOps CUDA_ARRAY_OPS;
extern const DeviceTextureOps CUDA_TEXTURE_OPS;

#endif
