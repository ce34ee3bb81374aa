/* launch_check.h - checks whether CUDA accepts a launch, and names the limit that it breaks.
 *
 * The simulated GPU refuses a launch by this check, as the driver would. For every device the broker explains with it
 * what the bare error code leaves open.  */
#ifndef HARNESS_DEVICE_LAUNCH_CHECK_H
#define HARNESS_DEVICE_LAUNCH_CHECK_H

#include "harness/device/device.h"

/* CUDA_ERROR_SUCCESS, or the error; `hint` names what was found and what is allowed, "" if the launch is accepted:
 * "2048 threads per block, at most 1024". */
CudaError launch_check(const DeviceInfo *device, const DeviceFunctionInfo *function, const LaunchShape *shape,
                       char *hint, size_t size);

#endif
