/* operand.h - the registers that PTX operands stand for.  */
#ifndef SIMGPU_LOWER_EMIT_OPERAND_H
#define SIMGPU_LOWER_EMIT_OPERAND_H

#include "simgpu/lower/emit/lowering.h"

/* The register that the operand names, whatever its size. */
Operand register_operand(Lowering *l, const PtxOperand *operand);
/* A register of `bytes` that holds the value of the operand: a register, an immediate, a special register or the
 * address of a variable. A register of another size is widened with zeros, or cut. */
Operand source_operand(Lowering *l, const PtxOperand *operand, uint32_t bytes);
/* The register that the operand names, to be written; a new one for the sink '_'. Only its being a predicate (1 byte)
 * or not is checked against `bytes`. */
Operand result_operand(Lowering *l, const PtxOperand *operand, uint32_t bytes);

#endif
