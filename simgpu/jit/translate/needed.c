#include "simgpu/jit/translate/needed.h"

#include "simgpu/code/liveness.h"

bool has_slot(const Operand *operands, int count, uint32_t slot)
{
    for (int i = 0; i < count; i++)
        if (operands[i].slot == slot)
            return true;
    return false;
}

static bool reads(const Instruction *instruction, uint32_t slot)
{
    return has_slot(instruction->sources, MAX_SOURCES, slot) || instruction->guard.slot == slot ||
           (instruction->guard.slot != NO_SLOT && has_slot(instruction->results, MAX_RESULTS, slot));
}

static bool end_reads(const BasicBlock *block, uint32_t slot)
{
    const Operand ends[] = {block->guard, block->index, block->threads, block->source, block->result};
    return has_slot(ends, 5, slot);
}

bool is_needed(const Builder *b, uint32_t slot, int32_t from)
{
    const BasicBlock *block = &b->code->blocks[b->block];
    for (int i = from; i < block->end; i++) {
        const Instruction *instruction = &b->code->instructions[i];
        if (reads(instruction, slot))
            return true;
        if (has_slot(instruction->results, MAX_RESULTS, slot))
            return false;
    }
    if (end_reads(block, slot))
        return true;
    for (int i = 0, next; (next = code_successor(b->code, b->block, i)) != -2; i++)
        if (next >= 0 && b->live_in[next][slot])
            return true;
    return false;
}

bool find_live(Builder *b)
{
    Liveness live;
    if (!liveness_find(b->code, b->code->slot_count, b->arena, &live))
        return false;
    for (int block = 0; block < b->code->block_count; block++)
        for (uint32_t slot = 0; slot < b->code->slot_count; slot++)
            b->live_in[block][slot] = !b->is_special[slot] && set_has(liveness_in(&live, block), slot);
    return true;
}
