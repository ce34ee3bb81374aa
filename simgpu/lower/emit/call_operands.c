#include "simgpu/lower/emit/call_operands.h"

#include "simgpu/lower/emit/placement.h"

const PtxOperand *find_operand(Lowering *l, PtxOperandKind kind)
{
    for (int i = 0; i < l->source->operand_count; i++)
        if (l->source->operands[i].kind == kind && !l->source->operands[i].negated)
            return operand_at(l, i);
    return NULL;
}

const PtxOperand *parameter_list(Lowering *l, const PtxOperand *function, bool results)
{
    long at = function - l->source->operands;
    long wanted = results ? at - 1 : at + 1;
    if (wanted < 0 || wanted >= l->source->operand_count || l->source->operands[wanted].kind != PTX_LIST)
        return NULL;
    return operand_at(l, (int)wanted);
}

const PtxVariable *list_variable(Lowering *l, const PtxOperand *list, int index)
{
    if (list == NULL || index >= list->element_count)
        lower_refuse(l, "these arguments");
    const PtxOperand *element = &list->elements[index];
    if (element->kind != PTX_VARIABLE || element->number != 0 || element->negated ||
        find_placement(l->instance->frame, element->variable) == NULL || element->variable->space != PTX_PARAM)
        lower_reject_operand(l, element, "a .param variable of the caller");
    return element->variable;
}
