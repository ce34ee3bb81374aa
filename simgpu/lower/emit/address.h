/* address.h - address operands.  */
#ifndef SIMGPU_LOWER_EMIT_ADDRESS_H
#define SIMGPU_LOWER_EMIT_ADDRESS_H

#include "simgpu/lower/emit/lowering.h"

/* The state space that a part of an opcode names; PTX_NO_SPACE: none. */
PtxSpace space_named(const char *part);
/* The shared variable that an address was made from; NULL: not known. */
const SharedVariable *variable_of(Lowering *l, const PtxOperand *address);
/* Fills in the address of a memory instruction. */
void set_address(Lowering *l, Instruction *instruction, const PtxOperand *address, PtxSpace space);
/* The address of an operand as a 64-bit register that holds it whole. */
Operand whole_address(Lowering *l, const PtxOperand *address, PtxSpace space);

#endif
