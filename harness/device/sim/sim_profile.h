/* sim_profile.h - adds what launches and copies did to the device's ExecutionProfile, which must be set.  */
#ifndef HARNESS_DEVICE_SIM_SIM_PROFILE_H
#define HARNESS_DEVICE_SIM_SIM_PROFILE_H

#include "harness/device/sim/sim_state.h"

void sim_profile_launch(SimDevice *sim, const SimLaunch *launch, const SimReport *report);
/* `across_bus`: from or to the host; else within the device. */
void sim_profile_copy(SimDevice *sim, uint64_t bytes, bool across_bus, double seconds);

#endif
