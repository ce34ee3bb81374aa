/* emit.h - appends instructions to the current basic block.  */
#ifndef SIMGPU_LOWER_EMIT_H
#define SIMGPU_LOWER_EMIT_H

#include "simgpu/lower/lowering.h"

enum { MAX_CODE_INSTRUCTIONS = 200000 };

/* An instruction with the guard and the source line of the current PTX instruction. The pointer is valid until the next
 * instruction is emitted. */
Instruction *emit(Lowering *l, InstructionKind kind);
Instruction *emit_opcode(Lowering *l, Opcode opcode, Operand result, const Operand *sources, int count);
/* The lane operation with that form in opcodes.def. Sources that it does not have are no_operand. */
void emit_form(Lowering *l, const char *form, Operand result, Operand a, Operand b, Operand c);
/* Widens or narrows `from` to the size of `result`. The value that `kept` can hold is preserved: it is sign- or
 * zero-extended from the size of that type. */
void emit_extend(Lowering *l, PtxType kept, Operand result, Operand from);
/* Both have the same size. */
void emit_move(Lowering *l, Operand result, Operand value);
/* .u16, .u32 or .u64 */
PtxType unsigned_type(uint32_t bytes);
/* If the last instruction writes a register that it also reads, makes it write a temporary that is moved afterwards.
 * Operations of a warp read the sources of some lanes after they have written the results of others. */
void separate_results_from_sources(Lowering *l);
/* Clamps a value of that type in place: "+saturate" to [0, 1], "+relu" to [0, infinity); NULL: does nothing. */
void emit_clamp(Lowering *l, const char *clamp, PtxType type, Operand value);
/* `opcode` with its result in `result`, by way of a temporary if that register has another size. `rounding` is a ROUND_
 * constant. */
void emit_sized(Lowering *l, Opcode opcode, Operand result, const Operand *sources, int count, int rounding);

#endif
