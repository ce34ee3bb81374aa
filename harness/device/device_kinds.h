/* device_kinds.h - how each kind of device is opened; for device.c alone.  */
#ifndef HARNESS_DEVICE_KINDS_H
#define HARNESS_DEVICE_KINDS_H

#include "harness/device/device.h"
#include "simgpu/profile.h"

MUST_USE Status device_open_sim(const SimProfile *profile, Device **device, Message *why);

#endif
