/* lower_arithmetic.h - arithmetic: opcodes with a row in opcodes.def, comparisons, and carries.  */
#ifndef SIMGPU_LOWER_LOWER_ARITHMETIC_H
#define SIMGPU_LOWER_LOWER_ARITHMETIC_H

#include "simgpu/lower/emit/parts.h"

/* Any opcode that has a row of its own. */
void lower_arithmetic(Lowering *l, const Parts *all_parts);
void lower_setp(Lowering *l, const Parts *parts);
void lower_set(Lowering *l, const Parts *parts);
/* add.cc, addc and their like, for which has_carry() is true. */
void lower_carry(Lowering *l, const Parts *parts);
bool has_carry(const Parts *parts);

#endif
