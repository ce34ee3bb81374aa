/* cpu_device.h - the processors of this machine, as the device of a CPU baseline.  */
#ifndef HARNESS_SESSION_CPU_DEVICE_H
#define HARNESS_SESSION_CPU_DEVICE_H

#include "harness/device/device.h"

#include <stdbool.h>

bool cpu_device_is_named(const char *device); /* "cpu" */

/* Only the names in `device` mean anything. */
void cpu_device_describe(DeviceInfo *device);

#endif
