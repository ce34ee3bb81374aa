#include "simgpu/lower/emit/call_operands.h"

const PtxOperand *find_operand(Lowering *l, PtxOperandKind kind)
{
    for (int i = 0; i < l->source->operand_count; i++)
        if (l->source->operands[i].kind == kind)
            return &l->source->operands[i];
    return NULL;
}

const PtxOperand *parameter_list(Lowering *l, const PtxOperand *function, bool results)
{
    long at = function - l->source->operands;
    long wanted = results ? at - 1 : at + 1;
    if (wanted < 0 || wanted >= l->source->operand_count || l->source->operands[wanted].kind != PTX_LIST)
        return NULL;
    return &l->source->operands[wanted];
}

const PtxVariable *list_variable(Lowering *l, const PtxOperand *list, int index)
{
    if (list == NULL || index >= list->element_count || list->elements[index].variable == NULL)
        lower_refuse(l, "these arguments");
    return list->elements[index].variable;
}
