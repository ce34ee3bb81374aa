/* translate_access.h - loads and stores.  */
#ifndef SIMGPU_JIT_TRANSLATE_TRANSLATE_ACCESS_H
#define SIMGPU_JIT_TRANSLATE_TRANSLATE_ACCESS_H

#include "simgpu/jit/translate/builder.h"

/* False where the interpreter must do it. */
bool translate_access(Builder *b, const Instruction *instruction);

#endif
