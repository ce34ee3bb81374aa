/* device_sim.h - describes and opens a simulated GPU.  */
#ifndef HARNESS_DEVICE_DEVICE_SIM_H
#define HARNESS_DEVICE_DEVICE_SIM_H

#include "harness/device/device.h"
#include "simgpu/cost/hardware_profile.h"

void device_describe_sim(const HardwareProfile *profile, DeviceInfo *info);
/* The folder in which kernels' translations are kept, made where it is missing; false: kernels are not translated. */
bool device_sim_translations(char *folder, size_t size);
MUST_USE Status device_open_sim(const HardwareProfile *profile, Device **device, Message *why);

#endif
