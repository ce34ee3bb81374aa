/* lower_arithmetic.h - arithmetic: opcodes with a row in opcodes.def, comparisons, and carries.  */
#ifndef SIMGPU_LOWER_LOWER_ARITHMETIC_H
#define SIMGPU_LOWER_LOWER_ARITHMETIC_H

#include "simgpu/lower/lowering.h"

/* Any opcode that has a row in opcodes.def. */
void lower_arithmetic(Lowering *l, const OpcodeModifiers *all_parts);
void lower_setp(Lowering *l, const OpcodeModifiers *parts);
void lower_set(Lowering *l, const OpcodeModifiers *parts);
/* Opcodes that read or write the carry flag. */
void lower_carry(Lowering *l, const OpcodeModifiers *parts);
/* Is it add.cc, addc or the like? */
bool has_carry(const OpcodeModifiers *parts);

#endif
