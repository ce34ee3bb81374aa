/* source.h - the C of the whole translation.  */
#ifndef SIMGPU_JIT_TRANSLATE_SOURCE_H
#define SIMGPU_JIT_TRANSLATE_SOURCE_H

#include "simgpu/jit/translate/builder.h"

/* Puts it together when all basic blocks are written, and makes the entries. */
void write_source(Builder *b);
/* Fills in Translation.varying. */
void list_varying(Builder *b);

#endif
