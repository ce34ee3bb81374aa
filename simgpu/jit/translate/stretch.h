/* stretch.h - a stretch of instructions that becomes one loop over lanes.  */
#ifndef SIMGPU_JIT_TRANSLATE_STRETCH_H
#define SIMGPU_JIT_TRANSLATE_STRETCH_H

#include "simgpu/jit/translate/builder.h"

void begin_stretch(Builder *b, int32_t instruction);
/* `next` is the first instruction behind the stretch. */
void end_stretch(Builder *b, int32_t next);
/* Ends the stretch before the current instruction and begins another one there. */
void renew_stretch(Builder *b);
/* The loop over what has been written for each lane and row. */
void write_loop(Builder *b, Text *to);

#endif
