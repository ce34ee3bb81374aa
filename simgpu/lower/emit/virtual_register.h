/* virtual_register.h - the registers of a kernel while it is lowered. There can be any number of them; assign_slots()
 * maps them to the slots of the register file at the end.  */
#ifndef SIMGPU_LOWER_EMIT_VIRTUAL_REGISTER_H
#define SIMGPU_LOWER_EMIT_VIRTUAL_REGISTER_H

#include "simgpu/lower/emit/lowering.h"

uint32_t bytes_of(Operand operand);
/* The base-2 logarithm of 1, 2, 4 or 8. */
uint32_t logarithm(uint32_t bytes);
/* A new register of 1 << size bytes; gives back its number. */
uint32_t new_virtual(Lowering *l, uint32_t size);
Operand temporary(Lowering *l, uint32_t bytes);
/* The register that holds a special register such as %tid.x, or a constant. Each launch or block sets it before the
 * code runs; the code only reads it. */
Operand special_register(Lowering *l, SpecialRegisterKind kind, int detail, uint64_t value, uint32_t bytes);
Operand constant(Lowering *l, uint64_t value, uint32_t bytes);

#endif
