/* virtual_register.h - virtual registers: as many as the code wants, until slots.h assigns slots to them.  */
#ifndef SIMGPU_LOWER_EMIT_VIRTUAL_REGISTER_H
#define SIMGPU_LOWER_EMIT_VIRTUAL_REGISTER_H

#include "simgpu/lower/emit/lowering.h"

uint32_t bytes_of(Operand operand);
/* The base-2 logarithm of 1, 2, 4 or 8. */
uint32_t logarithm(uint32_t bytes);
/* `size` is the logarithm of the register's bytes. */
uint32_t new_virtual(Lowering *l, uint32_t size);
Operand temporary(Lowering *l, uint32_t bytes);
/* The register that holds a special register or a constant; the launch writes it, never the code. */
Operand pinned(Lowering *l, SpecialRegisterKind kind, int detail, uint64_t value, uint32_t bytes);
Operand constant(Lowering *l, uint64_t value, uint32_t bytes);

#endif
