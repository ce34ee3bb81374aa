/* cuda_info.h - describes a real GPU: its limits, and its ceilings where they have been measured.  */
#ifndef HARNESS_DEVICE_CUDA_CUDA_INFO_H
#define HARNESS_DEVICE_CUDA_CUDA_INFO_H

#include "harness/device/cuda/cuda_driver.h"
#include "harness/device/device_info.h"

MUST_USE Status cuda_describe(const CudaDriver *driver, int ordinal, DeviceInfo *info, Message *why);

#endif
