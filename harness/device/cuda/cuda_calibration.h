/* cuda_calibration.h - what the judge's own operations take on this host and this GPU, so that it can be told from what a
 * submission takes: an echo, the gap between both clocks, an empty launch.  */
#ifndef HARNESS_DEVICE_CUDA_CUDA_CALIBRATION_H
#define HARNESS_DEVICE_CUDA_CUDA_CALIBRATION_H

#include "harness/device/cuda/cuda_state.h"

/* Loads what cuda_calibrate() launches, which takes the driver longer than the calibration itself. */
void cuda_calibration_open(CudaDevice *cuda);
/* As DeviceHardwareOps.calibrate. */
MUST_USE CudaError cuda_calibrate(CudaDevice *cuda);

#endif
