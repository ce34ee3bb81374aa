/* address.h - address operands: [register + 4], [variable + 4].  */
#ifndef SIMGPU_LOWER_EMIT_ADDRESS_H
#define SIMGPU_LOWER_EMIT_ADDRESS_H

#include "simgpu/lower/emit/lowering.h"

/* The state space that a part of an opcode names; PTX_NO_SPACE: none. */
PtxSpace space_named(const char *part);
/* The shared or local variable that the address operand points into; NULL: not known. */
const WindowVariable *variable_of(Lowering *l, const PtxOperand *address);
/* Fills in the state space and the address of a memory instruction. The address of a variable is a constant and needs
 * no register. Parameters of device functions lie in the frame, and accesses to them are hidden
 * (Instruction.is_hidden). */
void set_address(Lowering *l, Instruction *instruction, const PtxOperand *address, PtxSpace space);
/* The same for an address that has no effect here, such as that of a prefetch. */
void ignored_address(Lowering *l, int index, PtxSpace space);
/* A 64-bit register that holds the address, offset included. As in ptxas, the address may be one of 32 bits in any
 * state space. */
Operand whole_address(Lowering *l, const PtxOperand *address, PtxSpace space);

#endif
