/* block_end.h - how a basic block ends.  */
#ifndef SIMGPU_JIT_TRANSLATE_BLOCK_END_H
#define SIMGPU_JIT_TRANSLATE_BLOCK_END_H

#include "simgpu/jit/translate/builder.h"

/* Writes the end of the current basic block. */
void translate_block_end(Builder *b);

#endif
