/* lower_matrix.h - matrix instructions.  */
#ifndef SIMGPU_LOWER_LOWER_MATRIX_H
#define SIMGPU_LOWER_LOWER_MATRIX_H

#include "simgpu/lower/lowering.h"

/* False where the opcode is not one of matrices; nothing has been emitted then. */
bool lower_matrix(Lowering *l, const OpcodeModifiers *parts);

#endif
