/* slots.h - from virtual registers to slots of the register file.  */
#ifndef SIMGPU_LOWER_SLOTS_H
#define SIMGPU_LOWER_SLOTS_H

#include "simgpu/lower/emit/lowering.h"

void assign_slots(Lowering *l);

#endif
