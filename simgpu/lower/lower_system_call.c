#include "simgpu/lower/lower_system_call.h"

#include "simgpu/lower/emit/call_operands.h"
#include "simgpu/lower/emit/emit.h"
#include "simgpu/lower/emit/memory_access.h"
#include "simgpu/lower/emit/virtual_register.h"

void lower_print(Lowering *l, const PtxOperand *name)
{
    const PtxOperand *list = parameter_list(l, name, false);
    Operand format = emit_frame_load(l, list_variable(l, list, 0), 8);
    Operand arguments = emit_frame_load(l, list_variable(l, list, 1), 8);
    Operand printed = temporary(l, 4);
    Instruction *print = emit(l, PRINT);
    print->sources[0] = format;
    print->sources[1] = arguments;
    print->results[0] = printed;
    const PtxOperand *results = parameter_list(l, name, true);
    if (results != NULL)
        emit_frame_store(l, list_variable(l, results, 0), printed);
}

void lower_assert(Lowering *l, const PtxOperand *name)
{
    static const uint8_t bytes[] = {8, 8, 4, 8};
    const PtxOperand *list = parameter_list(l, name, false);
    Operand arguments[4];
    for (int i = 0; i < 4; i++)
        arguments[i] = emit_frame_load(l, list_variable(l, list, i), bytes[i]);
    Instruction *failed = emit(l, FAIL_ASSERT);
    for (int i = 0; i < 4; i++)
        failed->sources[i] = arguments[i];
}
