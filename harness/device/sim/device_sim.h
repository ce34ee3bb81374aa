/* device_sim.h - describes and opens a simulated GPU.  */
#ifndef HARNESS_DEVICE_SIM_DEVICE_SIM_H
#define HARNESS_DEVICE_SIM_DEVICE_SIM_H

#include "harness/device/device.h"
#include "simgpu/cost/hardware_profile.h"

void device_describe_sim(const HardwareProfile *profile, DeviceInfo *info);
MUST_USE Status device_open_sim(const HardwareProfile *profile, Device **device, Message *why);

#endif
