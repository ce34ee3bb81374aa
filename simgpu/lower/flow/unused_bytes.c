#include "simgpu/lower/flow/unused_bytes.h"

static void mention(uint8_t *mentions, int number)
{
    if (number >= 0 && mentions[number] < 2)
        mentions[number]++;
}

static void mention_operand(uint8_t *mentions, const PtxOperand *operand)
{
    if (operand->kind == PTX_REGISTER || operand->kind == PTX_ADDRESS)
        mention(mentions, operand->register_index);
    for (int i = 0; i < operand->element_count; i++)
        mention_operand(mentions, &operand->elements[i]);
}

const uint8_t *mentions_of_registers(const PtxFunction *function, Arena *arena)
{
    uint8_t *mentions = arena_array(arena, (size_t)function->register_count + 1, sizeof *mentions);
    for (int i = 0; i < function->instruction_count; i++) {
        const PtxInstruction *instruction = &function->instructions[i];
        mention(mentions, instruction->guard);
        for (int j = 0; j < instruction->operand_count; j++)
            mention_operand(mentions, &instruction->operands[j]);
    }
    return mentions;
}

static bool is_used(const Lowering *l, const PtxOperand *result)
{
    return result->kind == PTX_REGISTER && l->instance->mentions[result->register_index] > 1;
}

uint32_t unused_bytes(const Lowering *l, int count, uint32_t bytes)
{
    const PtxOperand *data = &l->source->operands[0];
    uint32_t all = (uint32_t)((1ull << ((uint32_t)count * bytes)) - 1), unused = l->source->unused_bytes;
    for (int i = 0; i < count && data->kind == PTX_VECTOR; i++)
        if (!is_used(l, &data->elements[i]))
            unused |= ((1u << bytes) - 1) << ((uint32_t)i * bytes);
    return (unused & all) == all ? 0 : unused & all;
}
