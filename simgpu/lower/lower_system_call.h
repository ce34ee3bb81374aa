/* lower_system_call.h - the functions that CUDA provides in every kernel: vprintf, __assertfail, malloc, free.  */
#ifndef SIMGPU_LOWER_LOWER_SYSTEM_CALL_H
#define SIMGPU_LOWER_LOWER_SYSTEM_CALL_H

#include "simgpu/lower/emit/lowering.h"

/* `name` is the operand of the call that names the function. Refuses any other function without code. */
void lower_system_call(Lowering *l, const PtxOperand *name);

#endif
