/* device_cuda.h - describes and opens a real GPU, through NVIDIA's driver library.
 *
 * `ordinal` is the device's number as a driver counts that sees all GPUs (cuda_visible.h).
 *
 * Errors   NOT_FOUND: no driver, or no such device. UNSUPPORTED: the driver is too old, or does not start.  */
#ifndef HARNESS_DEVICE_CUDA_DEVICE_CUDA_H
#define HARNESS_DEVICE_CUDA_DEVICE_CUDA_H

#include "harness/device/device.h"

MUST_USE Status device_describe_cuda(int ordinal, DeviceInfo *info, Message *why);
MUST_USE Status device_open_cuda(int ordinal, Device **device, Message *why);

#endif
