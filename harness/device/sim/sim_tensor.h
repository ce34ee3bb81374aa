/* sim_tensor.h - tensor maps of a simulated GPU.  */
#ifndef HARNESS_DEVICE_SIM_SIM_TENSOR_H
#define HARNESS_DEVICE_SIM_SIM_TENSOR_H

#include "harness/device/device.h"

extern const DeviceTensorOps SIM_TENSOR_OPS;

#endif
