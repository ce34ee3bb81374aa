#include "simgpu/lower/emit/address_taken.h"

#include <string.h>

static bool is_call(const PtxInstruction *instruction)
{
    return strncmp(instruction->opcode, "call", 4) == 0;
}

static const char *function_operand(const PtxInstruction *instruction)
{
    for (int i = 0; i < instruction->operand_count; i++)
        if (instruction->operands[i].kind == PTX_FUNCTION)
            return instruction->operands[i].name;
    return NULL;
}

const char *ptx_called_name(const PtxInstruction *instruction)
{
    return is_call(instruction) ? function_operand(instruction) : NULL;
}

bool calls_through_pointer(const PtxInstruction *instruction)
{
    return is_call(instruction) && function_operand(instruction) == NULL;
}

static bool variables_hold(const PtxModule *module, const char *name)
{
    for (const PtxVariable *variable = module->variables; variable != NULL; variable = variable->next)
        for (const PtxRelocation *r = variable->relocations; r != NULL; r = r->next)
            if (r->function != NULL && strcmp(r->function, name) == 0)
                return true;
    return false;
}

static bool instructions_take(const PtxModule *module, const char *name)
{
    for (const PtxFunction *function = module->functions; function != NULL; function = function->next)
        for (int i = 0; i < function->instruction_count; i++) {
            const PtxInstruction *instruction = &function->instructions[i];
            const char *taken = is_call(instruction) ? NULL : function_operand(instruction);
            if (taken != NULL && strcmp(taken, name) == 0)
                return true;
        }
    return false;
}

bool is_address_taken(const PtxModule *module, const PtxFunction *function)
{
    return function->has_body && !function->is_entry &&
           (variables_hold(module, function->name) || instructions_take(module, function->name));
}
