/* lower_system_call.h - vprintf and __assertfail, the functions that CUDA provides in every kernel.  */
#ifndef SIMGPU_LOWER_LOWER_SYSTEM_CALL_H
#define SIMGPU_LOWER_LOWER_SYSTEM_CALL_H

#include "simgpu/lower/emit/lowering.h"

/* `name` is the operand of the call that names the function. */
void lower_print(Lowering *l, const PtxOperand *name);
void lower_assert(Lowering *l, const PtxOperand *name);

#endif
