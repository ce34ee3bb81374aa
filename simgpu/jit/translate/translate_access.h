/* translate_access.h - loads and stores whose address is a scalar.  */
#ifndef SIMGPU_JIT_TRANSLATE_TRANSLATE_ACCESS_H
#define SIMGPU_JIT_TRANSLATE_TRANSLATE_ACCESS_H

#include "simgpu/jit/translate/builder.h"

/* False where the interpreter must execute it. */
bool translate_access(Builder *b, const Instruction *instruction);

#endif
