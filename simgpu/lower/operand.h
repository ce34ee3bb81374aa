/* operand.h - the registers that PTX operands stand for.
 *
 * Every operand becomes a register here, and nowhere else. The caller says how many bytes of each lane will be read
 * or written, 1 for a predicate. A register of another size, a predicate in place of a number, '!' in front of a
 * number and all other kinds of operands are rejected as ptxas rejects them: PTX that clang has compiled has passed no
 * ptxas, and engines trust the sizes.
 *
 * Source   PTX ISA 9.0, Type Checking of Operands; Operand Size Exceeding Instruction-Type Size.  */
#ifndef SIMGPU_LOWER_OPERAND_H
#define SIMGPU_LOWER_OPERAND_H

#include "simgpu/lower/lowering.h"

/* ==== call operands =============================================================================================== */

/* The operands of a call: call (results), function, (arguments). */

/* The first operand of that kind; NULL: none. */
const PtxOperand *find_operand(Lowering *l, PtxOperandKind kind);
/* The list of arguments, which follows the function's name, or of results, which precedes it; NULL: none. */
const PtxOperand *parameter_list(Lowering *l, const PtxOperand *function, bool results);
/* The variable that is element `index` of such a list. */
const PtxVariable *list_variable(Lowering *l, const PtxOperand *list, int index);

/* ==== address ===================================================================================================== */

/* Address operands: [register + 4], [variable + 4]. */

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

/* ==== memory access =============================================================================================== */

/* What loads, stores and atomic operations have in common. */

typedef struct AccessForm {
    PtxSpace space;
    PtxType type;
    int count; /* elements */
} AccessForm;

/* The first state space that an opcode names; PTX_NO_SPACE: none. */
PtxSpace first_space(const OpcodeModifiers *parts);
/* The state space, type and vector length that an opcode names. Refuses the instruction if a part is not known. */
AccessForm access_form(Lowering *l, const OpcodeModifiers *parts);
/* The base-2 logarithm of the bytes of a type, as in Instruction.size. */
uint8_t size_of(PtxType type);
/* Element `index` of a data operand, which is one register (count 1) or a vector of `count`. */
const PtxOperand *data_operand(Lowering *l, const PtxOperand *data, int count, int index);
/* Checks the operand of .L2::cache_hint, which comes last and has no effect here; false: there is none. */
bool ignored_hint(Lowering *l, const OpcodeModifiers *parts);

/* Loads and stores of 4 or 8 bytes in the frame, for the arguments and results of calls. They are not counted. */
Operand emit_frame_load(Lowering *l, const PtxVariable *variable, uint32_t bytes);
void emit_frame_store(Lowering *l, const PtxVariable *variable, Operand value);

/* Accesses to a 64-bit word of memory, which are counted. The old value of the word goes to `result`; slot NO_SLOT:
 * it is not wanted. */
void emit_word_atomic(Lowering *l, AtomicKind kind, const PtxOperand *address, PtxSpace space, Operand b,
                      Operand result);
void emit_word_load(Lowering *l, const PtxOperand *address, PtxSpace space, Operand result);
void emit_word_store(Lowering *l, const PtxOperand *address, PtxSpace space, Operand value);

/* ==== operand ===================================================================================================== */

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
