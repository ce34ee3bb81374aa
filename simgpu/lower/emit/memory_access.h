/* memory_access.h - what loads, stores and atomic operations have in common.  */
#ifndef SIMGPU_LOWER_EMIT_MEMORY_ACCESS_H
#define SIMGPU_LOWER_EMIT_MEMORY_ACCESS_H

#include "simgpu/lower/emit/parts.h"

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

#endif
