/* scalar.h - the arithmetic of scalars.  */
#ifndef SIMGPU_JIT_SCALAR_H
#define SIMGPU_JIT_SCALAR_H

#include "simgpu/jit/builder.h"

/* Should a varying source become a scalar on an irregular axis, because the result is used for an address and would
 * then be a scalar? `*source` says which one. */
bool wants_axis(Builder *b, const Instruction *instruction, const Value sources[4], int *source);
/* The result of a lane operation as a scalar; false where it is none. */
bool scalar_opcode(Builder *b, const Instruction *instruction, const Value sources[4], Value *result);

#endif
