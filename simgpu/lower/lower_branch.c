#include "simgpu/lower/lower_branch.h"

#include "simgpu/lower/emit/basic_block.h"
#include "simgpu/lower/emit/operand.h"

#include <string.h>

enum { LABEL_RETURN = -1 }; /* PendingBranch.label: the block after the function, which begins when the function ends */

/* Adds a pending branch. */
static void branch_to(Lowering *l, int block, int label, int32_t *where)
{
    PendingBranch *pending = arena_alloc(l->arena, sizeof *pending);
    *pending = (PendingBranch){.next = l->pending, .block = block, .label = label, .where = where};
    l->pending = pending;
}

void bind_branches(Lowering *l, Instance *instance, int first_block)
{
    int after = -1;
    while (l->pending != NULL && l->pending->block >= first_block) {
        PendingBranch *pending = l->pending;
        if (pending->label == LABEL_RETURN && after < 0)
            after = new_block(l);
        int32_t target = pending->label == LABEL_RETURN ? after : instance->block_of[pending->label];
        if (pending->where != NULL)
            *pending->where = target;
        else
            l->code->blocks[pending->block].target = target;
        l->pending = pending->next;
    }
}

static const PtxLabel *label_operand(Lowering *l, const PtxOperand *operand)
{
    if (operand->kind != PTX_LABEL || operand->label == NULL)
        lower_refuse(l, "an operand that is not a label");
    return operand->label;
}

void lower_branch(Lowering *l, const OpcodeModifiers *parts)
{
    const PtxLabel *label = label_operand(l, operand_at(l, 0));
    branch_to(l, l->code->block_count - 1, label->instruction, NULL);
    end_block(l, END_BRANCH);
}

/* brx.idx index, table */
void lower_indexed_branch(Lowering *l, const OpcodeModifiers *parts)
{
    const PtxLabel *table = label_operand(l, operand_at(l, 1));
    if (table->target_count == 0 || l->guard.slot != NO_SLOT)
        lower_refuse(l, "");
    Operand index = source_operand(l, operand_at(l, 0), 4);
    int32_t *targets = arena_array(&l->code->arena, (size_t)table->target_count, sizeof *targets);
    for (int i = 0; i < table->target_count; i++)
        branch_to(l, l->code->block_count - 1, label_operand(l, &table->targets[i])->instruction, &targets[i]);
    BasicBlock *block = end_block(l, END_INDEXED);
    block->targets = targets;
    block->target_count = table->target_count;
    block->index = index;
}

void lower_return(Lowering *l, const OpcodeModifiers *parts)
{
    if (is_kernel(l->instance) || strcmp(parts->part[0], "exit") == 0) {
        end_block(l, END_EXIT);
        return;
    }
    if (l->instance->caller == NULL) {
        end_block(l, END_RETURN);
        return;
    }
    branch_to(l, l->code->block_count - 1, LABEL_RETURN, NULL);
    end_block(l, END_BRANCH);
}

void lower_trap(Lowering *l, const OpcodeModifiers *parts)
{
    end_block(l, END_TRAP);
}
