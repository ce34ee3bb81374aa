/* lanes.h - values that differ between lanes.  */
#ifndef SIMGPU_JIT_TRANSLATE_LANES_H
#define SIMGPU_JIT_TRANSLATE_LANES_H

#include "simgpu/jit/translate/builder.h"

/* The value in the lane of the loop, of its own size. */
const char *lane_text(Builder *b, Operand operand);
/* Gives the register a new value in the loop, and gives back its number: v<number>. */
int new_lane_value(Builder *b, Operand operand);
void run_in_lanes(Builder *b, const Instruction *instruction);
/* Makes an irregular axis for what the register holds. */
void make_axis(Builder *b, Operand operand);
void call_interpreter(Builder *b, const Instruction *instruction);

#endif
