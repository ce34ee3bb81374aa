/* lower_hint.h - fences, prefetches, griddepcontrol and hints, which have no effect here, and nanosleep.  */
#ifndef SIMGPU_LOWER_LOWER_HINT_H
#define SIMGPU_LOWER_LOWER_HINT_H

#include "simgpu/lower/emit/parts.h"

void lower_hint(Lowering *l, const OpcodeModifiers *parts);
void lower_fence(Lowering *l, const OpcodeModifiers *parts);
void lower_grid_control(Lowering *l, const OpcodeModifiers *parts);
void lower_create_policy(Lowering *l, const OpcodeModifiers *parts);
void lower_sleep(Lowering *l, const OpcodeModifiers *parts);

#endif
