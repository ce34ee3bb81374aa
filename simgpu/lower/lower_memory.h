/* lower_memory.h - loads and stores.  */
#ifndef SIMGPU_LOWER_LOWER_MEMORY_H
#define SIMGPU_LOWER_LOWER_MEMORY_H

#include "simgpu/lower/emit/parts.h"

void lower_load(Lowering *l, const OpcodeModifiers *parts);
void lower_store(Lowering *l, const OpcodeModifiers *parts);

#endif
