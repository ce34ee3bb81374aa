/* lanes.h - values that vary from lane to lane.  */
#ifndef SIMGPU_JIT_TRANSLATE_LANES_H
#define SIMGPU_JIT_TRANSLATE_LANES_H

#include "simgpu/jit/translate/builder.h"

/* The value of the register in the current lane of the loop, as an expression of its own size. */
const char *lane_text(Builder *b, Operand operand);
/* Makes the register varying, with its value in v<number> of the loop; gives back the number. */
int new_lane_value(Builder *b, Operand operand);
/* Executes a lane operation in the loop. */
void run_in_lanes(Builder *b, const Instruction *instruction);
/* Makes an irregular axis from a varying register, which is a scalar then. */
void make_axis(Builder *b, Operand operand);
/* Lets the interpreter execute the instruction. */
void call_interpreter(Builder *b, const Instruction *instruction);

#endif
