/* sim_mistake.h - the kinds of mistake (mistake.h) that the simulated GPU finds.  */
#ifndef HARNESS_DEVICE_SIM_SIM_MISTAKE_H
#define HARNESS_DEVICE_SIM_SIM_MISTAKE_H

#include "harness/device/mistake.h"
#include "simgpu/simgpu.h"

/* What ended a launch. */
Mistake sim_mistake_of_fault(SimOutcome outcome, const SimFault *fault);
/* What the sanitizer found. */
Mistake sim_mistake_of_finding(const SimFinding *finding);

#endif
