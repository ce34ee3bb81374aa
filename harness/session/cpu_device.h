/* cpu_device.h - the processors of this machine, as the device of a CPU baseline.  */
#ifndef HARNESS_SESSION_CPU_DEVICE_H
#define HARNESS_SESSION_CPU_DEVICE_H

#include "harness/device/device.h"

#include <stdbool.h>

/* "cpu": timed on the cases of the simulated GPU, which suit one core. "cpu:cuda": on those of real GPUs. */
bool cpu_device_is_named(const char *device);
bool cpu_device_takes_small_cases(const char *device);

/* Only the names in `device` mean anything. */
void cpu_device_describe(DeviceInfo *device);

#endif
