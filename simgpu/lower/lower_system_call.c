#include "simgpu/lower/lower_system_call.h"

#include "simgpu/lower/emit/call_operands.h"
#include "simgpu/lower/emit/emit.h"
#include "simgpu/lower/emit/memory_access.h"
#include "simgpu/lower/emit/virtual_register.h"

#include <string.h>

static void lower_print(Lowering *l, const PtxOperand *name)
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

static void lower_assert(Lowering *l, const PtxOperand *name)
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

static void lower_malloc(Lowering *l, const PtxOperand *name)
{
    Operand bytes = emit_frame_load(l, list_variable(l, parameter_list(l, name, false), 0), 8);
    Operand address = temporary(l, 8);
    Instruction *allocate = emit(l, HEAP_ALLOCATE);
    allocate->sources[0] = bytes;
    allocate->results[0] = address;
    emit_frame_store(l, list_variable(l, parameter_list(l, name, true), 0), address);
    l->code->uses_heap = true;
}

static void lower_free(Lowering *l, const PtxOperand *name)
{
    Operand address = emit_frame_load(l, list_variable(l, parameter_list(l, name, false), 0), 8);
    emit(l, HEAP_FREE)->sources[0] = address;
    l->code->uses_heap = true;
}

void lower_system_call(Lowering *l, const PtxOperand *name)
{
    static const struct {
        const char *name;
        void (*lower)(Lowering *l, const PtxOperand *name);
    } functions[] = {
        {"vprintf", lower_print}, {"__assertfail", lower_assert}, {"malloc", lower_malloc}, {"free", lower_free}};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(name->name, functions[i].name) == 0) {
            functions[i].lower(l, name);
            return;
        }
    lower_refuse(l, name->name);
}
