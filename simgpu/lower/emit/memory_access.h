/* memory_access.h - what loads, stores and atomic operations have in common, and accesses that the lowering itself makes.  */
#ifndef SIMGPU_LOWER_EMIT_MEMORY_ACCESS_H
#define SIMGPU_LOWER_EMIT_MEMORY_ACCESS_H

#include "simgpu/lower/emit/parts.h"

typedef struct AccessForm {
    PtxSpace space;
    PtxType type;
    int count; /* elements */
} AccessForm;

AccessForm access_form(Lowering *l, const Parts *parts);
/* The logarithm of the bytes of a type. */
uint8_t size_of(PtxType type);
/* Element `index` of the data operand of a load or store, which is one register or a vector of `count`. */
const PtxOperand *data_operand(Lowering *l, const PtxOperand *data, int count, int index);

/* A load or store of 4 or 8 bytes in the frame, for arguments and results of calls. */
Operand emit_frame_load(Lowering *l, const PtxVariable *variable, uint32_t bytes);
void emit_frame_store(Lowering *l, const PtxVariable *variable, Operand value);

/* An atomic operation on a 64-bit word of memory, whose old value goes to `result`; slot NO_SLOT: nowhere. */
void emit_word_atomic(Lowering *l, AtomicKind kind, const PtxOperand *address, PtxSpace space, Operand b,
                      Operand result);
void emit_word_load(Lowering *l, const PtxOperand *address, PtxSpace space, Operand result);
void emit_word_store(Lowering *l, const PtxOperand *address, PtxSpace space, Operand value);

#endif
