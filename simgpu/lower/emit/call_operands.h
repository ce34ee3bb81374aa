/* call_operands.h - the operands of a call: call (results), function, (arguments).  */
#ifndef SIMGPU_LOWER_EMIT_CALL_OPERANDS_H
#define SIMGPU_LOWER_EMIT_CALL_OPERANDS_H

#include "simgpu/lower/emit/lowering.h"

/* The first operand of that kind; NULL: none. */
const PtxOperand *find_operand(Lowering *l, PtxOperandKind kind);
/* The list of arguments, which follows the function's name, or of results, which precedes it; NULL: none. */
const PtxOperand *parameter_list(Lowering *l, const PtxOperand *function, bool results);
/* The variable that is element `index` of such a list. */
const PtxVariable *list_variable(Lowering *l, const PtxOperand *list, int index);

#endif
