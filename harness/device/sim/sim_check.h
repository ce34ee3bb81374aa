/* sim_check.h - checks kernels for races and for reads of uninitialised memory (DeviceCheck).  */
#ifndef HARNESS_DEVICE_SIM_SIM_CHECK_H
#define HARNESS_DEVICE_SIM_SIM_CHECK_H

#include "harness/device/sim/sim_state.h"

void sim_set_check(Device *device, DeviceCheck *check);
/* What the simulator checks and counts in a launch: bits of SimLaunchFlags. */
uint32_t sim_launch_flags(SimDevice *sim, const LaunchShape *shape);
/* Whether nobody can find out how long kernels take. */
bool sim_is_untimed(const SimDevice *sim);
/* Keeps what a launch was found to do; a race that can change the result becomes the device's fault. */
void sim_keep_findings(SimDevice *sim, const SimReport *report);

#endif
