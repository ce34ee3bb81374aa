/* device_open.h - describes and opens the device that a name means.
 *
 * Names    "auto", "cuda", "cuda:N", "sim" or "sim:PROFILE". "auto" is the first GPU if there is one that works, else
 *          "sim". "cuda" is "cuda:0", "sim" is "sim:h200".
 * Errors   BAD_INPUT: not such a name. NOT_FOUND: no such GPU, or no such profile. UNSUPPORTED: the driver is too old
 *          or does not start.  */
#ifndef HARNESS_DEVICE_DEVICE_OPEN_H
#define HARNESS_DEVICE_DEVICE_OPEN_H

#include "harness/device/device.h"
#include "simgpu/cost/hardware_profile.h"

/* ==== device open ================================================================================================= */

/* Prepares a process to use only this device, before it describes or opens it. A name of no GPU changes nothing. */
void device_use_only(const char *name);

/* Finds the files that the driver of a real GPU needs for it; none if the host does not reveal them. Call it after
 * that, and before the device is described or opened. False: the name may mean a simulated GPU. */
bool device_files(const char *name, DeviceFiles *files);

MUST_USE Status device_open(const char *name, Device **device, Message *why);
/* Describes a device without opening it: this takes no memory on it and disturbs nobody's work. */
MUST_USE Status device_describe(const char *name, DeviceInfo *info, Message *why);

/* ==== device cuda ================================================================================================= */

/* Describes and opens a real GPU, through NVIDIA's driver library.
 *
 * `ordinal` is the device's number as a driver counts that sees all GPUs (cuda_driver.h).
 *
 * Errors   NOT_FOUND: no driver, or no such device. UNSUPPORTED: the driver is too old, or does not start. */

MUST_USE Status device_describe_cuda(int ordinal, DeviceInfo *info, Message *why);
MUST_USE Status device_open_cuda(int ordinal, Device **device, Message *why);

/* ==== simulated GPU =============================================================================================== */

/* Describes and opens a simulated GPU. */

void device_describe_sim(const HardwareProfile *profile, DeviceInfo *info);
/* The folder in which kernels' translations are kept, made where it is missing; false: kernels are not translated. */
bool device_sim_translations(char *folder, size_t size);
MUST_USE Status device_open_sim(const HardwareProfile *profile, Device **device, Message *why);

#endif
