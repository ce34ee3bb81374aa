/* emit.h - appends instructions to the code.  */
#ifndef SIMGPU_LOWER_EMIT_EMIT_H
#define SIMGPU_LOWER_EMIT_EMIT_H

#include "simgpu/lower/emit/lowering.h"

enum { MAX_CODE_INSTRUCTIONS = 200000 };

/* The new instruction has the guard and the source line of the current PTX instruction. */
Instruction *emit(Lowering *l, InstructionKind kind);
Instruction *emit_opcode(Lowering *l, Opcode opcode, Operand result, const Operand *sources, int count);
/* Emits the lane operation of that form. */
void emit_form(Lowering *l, const char *form, Operand result, Operand a, Operand b, Operand c);
/* Widens or narrows `from` into `result`, keeping what type `kept` holds. */
void emit_extend(Lowering *l, PtxType kept, Operand result, Operand from);
void emit_move(Lowering *l, Operand result, Operand value);
PtxType unsigned_type(uint32_t bytes);
/* Where the last instruction writes a register that it also reads, it writes another one first: operations of a warp
 * read lanes after others were written. */
void keep_apart(Lowering *l);
/* Clamps a value of that type in place: "+saturate" to [0, 1], "+relu" to [0, infinity); NULL: not at all. */
void emit_clamp(Lowering *l, const char *clamp, PtxType type, Operand value);
/* Emits `opcode` with its result in `result`, through a temporary where the register has another size. */
void emit_sized(Lowering *l, Opcode opcode, Operand result, const Operand *sources, int count, int rounding);

#endif
