/* device_kinds.h - how each kind of device is opened; for device.c alone.  */
#ifndef HARNESS_DEVICE_OPEN_DEVICE_KINDS_H
#define HARNESS_DEVICE_OPEN_DEVICE_KINDS_H

#include "harness/device/device.h"
#include "simgpu/cost/profile.h"

void device_describe_sim(const HardwareProfile *profile, DeviceInfo *info);
MUST_USE Status device_open_sim(const HardwareProfile *profile, Device **device, Message *why);

/* `ordinal` as the driver counts its devices. NOT_FOUND: no driver, or no such device. UNSUPPORTED: a driver
 * that is too old, or does not start. */
MUST_USE Status device_describe_cuda(int ordinal, DeviceInfo *info, Message *why);
MUST_USE Status device_open_cuda(int ordinal, Device **device, Message *why);

#endif
