/* operand.h - PTX operands as registers of the code.  */
#ifndef SIMGPU_LOWER_EMIT_OPERAND_H
#define SIMGPU_LOWER_EMIT_OPERAND_H

#include "simgpu/lower/emit/lowering.h"

/* The register itself, whatever its size. */
Operand register_operand(Lowering *l, const PtxOperand *operand);
/* The value of an operand in a register of `bytes`. */
Operand source_operand(Lowering *l, const PtxOperand *operand, uint32_t bytes);
/* The register to be written; a new one for '_'. */
Operand result_operand(Lowering *l, const PtxOperand *operand, uint32_t bytes);

#endif
