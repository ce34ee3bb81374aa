/* launch_check.h - whether a launch is one that CUDA accepts, and which limit it breaks where not.
 *
 * The simulated GPU refuses by it what the driver would refuse; for every device the broker explains by it what the
 * bare error code leaves open.  */
#ifndef HARNESS_DEVICE_LAUNCH_CHECK_H
#define HARNESS_DEVICE_LAUNCH_CHECK_H

#include "harness/device/device.h"

/* CUDA_ERROR_SUCCESS, or the error with `hint` naming found and allowed: "2048 threads per block, at most 1024". */
CudaError launch_check(const DeviceInfo *device, const DeviceFunctionInfo *function, const DeviceLaunch *launch,
                       char *hint, size_t size);

#endif
