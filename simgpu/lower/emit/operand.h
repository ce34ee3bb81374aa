/* operand.h - the registers that PTX operands stand for.
 *
 * Every operand becomes a register here, and nowhere else. Whoever asks for it says how many bytes of each lane will be
 * read or written, 1 for a predicate. A register of another size, a predicate in place of a number, '!' in front of a
 * number and all other kinds of operands are rejected as ptxas rejects them: PTX that clang has compiled has passed no
 * ptxas, and engines trust the sizes.
 *
 * Source   PTX ISA 9.0, Type Checking of Operands; Operand Size Exceeding Instruction-Type Size.  */
#ifndef SIMGPU_LOWER_EMIT_OPERAND_H
#define SIMGPU_LOWER_EMIT_OPERAND_H

#include "simgpu/lower/emit/lowering.h"

/* Is it a register that was declared as a predicate, negated or not? */
bool is_predicate(const Lowering *l, const PtxOperand *operand);
/* The register of an address in a register, of at least `least` bytes. */
Operand address_register(Lowering *l, const PtxOperand *address, uint32_t least);
/* A register of `bytes` that holds the value of the operand: a register, an immediate, a special register or the
 * address of a variable. '!' is allowed in front of a predicate. */
Operand source_operand(Lowering *l, const PtxOperand *operand, uint32_t bytes);
/* The register that the operand names, to be written; a new one for the sink '_'. */
Operand result_operand(Lowering *l, const PtxOperand *operand, uint32_t bytes);
/* The same for ld, st, cvt, suld and sust, which allow registers wider than the type. Registers have 16 bits at least. */
Operand source_at_least(Lowering *l, const PtxOperand *operand, uint32_t bytes);
Operand result_at_least(Lowering *l, const PtxOperand *operand, uint32_t bytes);
/* The low `bytes` of such a source. */
Operand source_cut(Lowering *l, const PtxOperand *operand, uint32_t bytes);
/* An operand that has no effect here, such as a hint, still has to be right. */
void ignored_value(Lowering *l, const PtxOperand *operand, uint32_t bytes);
/* The number of operand `index`, which must be a constant. */
uint64_t expect_constant(Lowering *l, int index);

#endif
