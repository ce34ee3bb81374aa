/* stretch.h - stretches: instructions of a basic block that become one loop over lanes.  */
#ifndef SIMGPU_JIT_TRANSLATE_STRETCH_H
#define SIMGPU_JIT_TRANSLATE_STRETCH_H

#include "simgpu/jit/translate/builder.h"

void begin_stretch(Builder *b, int32_t instruction);
/* `next` is the first instruction after the stretch. */
void end_stretch(Builder *b, int32_t next);
/* Ends the stretch before the current instruction and begins another one there. */
void renew_stretch(Builder *b);
/* Writes the loop over rows and lanes, with what Builder.rows and .lanes hold, which it empties. */
void write_loop(Builder *b, Text *to);

#endif
