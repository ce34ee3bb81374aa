/* targets.h - which parameters of a kernel its stores go through.  */
#ifndef SIMGPU_LOWER_TARGETS_H
#define SIMGPU_LOWER_TARGETS_H

#include "simgpu/lower/emit/lowering.h"

/* Fills in Code.targets. */
void find_targets(Lowering *l);

#endif
