/* lower_atomic.h - atomic operations: atom and red.  */
#ifndef SIMGPU_LOWER_LOWER_ATOMIC_H
#define SIMGPU_LOWER_LOWER_ATOMIC_H

#include "simgpu/lower/emit/parts.h"

void lower_atomic(Lowering *l, const OpcodeModifiers *parts);

#endif
