#include "simgpu/jit/translate/builder.h"

#include <string.h>

/* Marks the sources of addresses, the sources of these, and so on. A slot may hold several registers one after the
 * other, so that some slots are marked needlessly. */
void find_addresses(Builder *b)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < b->code->instruction_count; i++) {
            const Instruction *instruction = &b->code->instructions[i];
            bool is_access = instruction->kind == LOAD || instruction->kind == STORE;
            bool feeds = instruction->kind == RUN_LANES && b->is_address[instruction->results[0].slot];
            for (int j = 0; j < (is_access ? 1 : feeds ? 4 : 0); j++) {
                uint32_t slot = instruction->sources[j].slot;
                if (slot != NO_SLOT && !b->is_address[slot])
                    b->is_address[slot] = changed = true;
            }
        }
    }
}

void builder_init(Builder *b)
{
    const Code *code = b->code;
    size_t blocks = (size_t)code->block_count, slots = code->slot_count;
    b->at_entry = arena_array(b->arena, blocks, sizeof *b->at_entry);
    b->live_in = arena_array(b->arena, blocks, sizeof *b->live_in);
    for (size_t i = 0; i < blocks; i++)
        b->live_in[i] = arena_array(b->arena, slots, sizeof **b->live_in);
    b->queued = arena_array(b->arena, blocks, sizeof *b->queued);
    b->is_loop_head = arena_array(b->arena, blocks, sizeof *b->is_loop_head);
    b->used_opcodes = arena_array(b->arena, OPCODE_COUNT, sizeof *b->used_opcodes);
    b->is_varying = arena_array(b->arena, slots, sizeof *b->is_varying);
    b->is_special = arena_array(b->arena, slots, sizeof *b->is_special);
    b->now = arena_array(b->arena, slots, sizeof *b->now);
    b->at_start = arena_array(b->arena, slots, sizeof *b->at_start);
    b->operands = arena_array(b->arena, slots, sizeof *b->operands);
    b->is_address = arena_array(b->arena, slots, sizeof *b->is_address);
    b->axis_of = arena_array(b->arena, (size_t)code->instruction_count, sizeof *b->axis_of);
    for (int i = 0; i < code->instruction_count; i++)
        b->axis_of[i] = -1;
    for (int i = 0; i < code->special_register_count; i++) {
        b->is_special[code->special_registers[i].operand.slot] = true;
        b->operands[code->special_registers[i].operand.slot] = code->special_registers[i].operand;
    }
    for (int i = 0; i < code->instruction_count; i++)
        for (int j = 0; j < MAX_RESULTS; j++)
            if (code->instructions[i].results[j].slot != NO_SLOT)
                b->operands[code->instructions[i].results[j].slot] = code->instructions[i].results[j];
    for (int i = 0; i < code->block_count; i++) {
        const BasicBlock *block = &code->blocks[i];
        b->has_arrive |= block->ends == END_BARRIER && block->barrier == BARRIER_ARRIVE;
        if (block->result.slot != NO_SLOT)
            b->operands[block->result.slot] = block->result;
        for (int j = 1, next; (next = code_successor(code, i, j)) != -2; j++)
            if (next >= 0 && next <= i)
                b->is_loop_head[next] = true;
    }
}

void builder_free(Builder *b)
{
    arena_free(&b->scratch);
    Text *const texts[] = {&b->head, &b->rows, &b->lanes, &b->commit, &b->leaves, &b->text};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        text_free(texts[i]);
}
