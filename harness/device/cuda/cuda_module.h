/* cuda_module.h - modules and kernel launches of a real GPU.  */
#ifndef HARNESS_DEVICE_CUDA_CUDA_MODULE_H
#define HARNESS_DEVICE_CUDA_CUDA_MODULE_H

#include "harness/device/cuda/cuda_gate.h"

extern const DeviceModuleOps CUDA_MODULE_OPS;
extern const DeviceKernelOps CUDA_KERNEL_OPS;

/* Frees what the host keeps of all modules; the driver's part goes with the context. */
void cuda_modules_free(CudaDevice *cuda);

#endif
