/* source.h - puts the C of a translation together.  */
#ifndef SIMGPU_JIT_TRANSLATE_SOURCE_H
#define SIMGPU_JIT_TRANSLATE_SOURCE_H

#include "simgpu/jit/translate/builder.h"

/* Fills in Translation.source and .entries, when all basic blocks are written. */
void write_source(Builder *b);
/* Fills in Translation.varying. */
void list_varying(Builder *b);

#endif
