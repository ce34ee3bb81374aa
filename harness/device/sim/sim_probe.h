/* sim_probe.h - finds out how kernels read an array (DeviceProbe).  */
#ifndef HARNESS_DEVICE_SIM_SIM_PROBE_H
#define HARNESS_DEVICE_SIM_SIM_PROBE_H

#include "harness/device/sim/sim_state.h"

/* Runs a grid of a function of `module` with the device's probe, which must be set. */
void sim_probe_launch(SimDevice *sim, const SimModule *module, SimLaunch *grid, SimReport *report);

#endif
