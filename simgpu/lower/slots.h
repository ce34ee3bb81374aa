/* slots.h - assigns slots of the register file to the virtual registers.  */
#ifndef SIMGPU_LOWER_SLOTS_H
#define SIMGPU_LOWER_SLOTS_H

#include "simgpu/lower/lowering.h"

/* Replaces the virtual registers in all operands of the code, and fills in Code.slot_count, unit_bytes and
 * live_registers. */
void assign_slots(Lowering *l);

#endif
