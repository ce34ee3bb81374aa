/* sim_kernel.h - modules and kernel launches of a simulated GPU.  */
#ifndef HARNESS_DEVICE_SIM_SIM_KERNEL_H
#define HARNESS_DEVICE_SIM_SIM_KERNEL_H

#include "harness/device/device.h"

extern const DeviceModuleOps SIM_MODULE_OPS;
extern const DeviceKernelOps SIM_KERNEL_OPS;

#endif
