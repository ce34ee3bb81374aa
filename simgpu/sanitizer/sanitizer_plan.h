/* sanitizer_plan.h - what the sanitizer decides once for a launch.  */
#ifndef SIMGPU_SANITIZER_SANITIZER_PLAN_H
#define SIMGPU_SANITIZER_SANITIZER_PLAN_H

#include "simgpu/sanitizer/sanitizer_state.h"

/* NULL where the launch asks for no checks, or where the kernel does what the sanitizer cannot follow. */
SanitizerPlan *sanitizer_plan_new(const Launch *launch);
void sanitizer_plan_free(SanitizerPlan *plan);

#endif
