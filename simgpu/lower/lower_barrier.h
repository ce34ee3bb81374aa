/* lower_barrier.h - barriers of a block: bar and barrier.  */
#ifndef SIMGPU_LOWER_LOWER_BARRIER_H
#define SIMGPU_LOWER_LOWER_BARRIER_H

#include "simgpu/lower/emit/parts.h"

void lower_bar(Lowering *l, const OpcodeModifiers *parts);

#endif
