/* scalar.h - the arithmetic of scalars.  */
#ifndef SIMGPU_JIT_TRANSLATE_SCALAR_H
#define SIMGPU_JIT_TRANSLATE_SCALAR_H

#include "simgpu/jit/translate/builder.h"

/* Would this varying source, as a scalar on an axis of its own, let the result be a scalar that helps an address? */
bool wants_axis(Builder *b, const Instruction *instruction, const Value sources[4], int *source);
/* False where the result is no scalar. */
bool scalar_opcode(Builder *b, const Instruction *instruction, const Value sources[4], Value *result);

#endif
