#include "simgpu/lower/flow/used_results.h"

/* Marks the sources of an instruction as needed; false where they all were already. */
static bool note_sources(const Instruction *instruction, uint8_t *is_needed)
{
    bool is_new = false;
    for (int i = 0; i <= MAX_SOURCES; i++) {
        Operand source = i < MAX_SOURCES ? instruction->sources[i] : instruction->guard;
        if (source.slot == NO_SLOT || is_needed[source.slot])
            continue;
        is_needed[source.slot] = 1;
        is_new = true;
    }
    return is_new;
}

static void note_ends(const Code *code, uint8_t *is_needed)
{
    for (int i = 0; i < code->block_count; i++) {
        const BasicBlock *block = &code->blocks[i];
        const Operand ends[] = {block->guard, block->index, block->threads, block->source};
        for (size_t j = 0; j < sizeof ends / sizeof *ends; j++)
            if (ends[j].slot != NO_SLOT)
                is_needed[ends[j].slot] = 1;
    }
}

/* A register is needed where something other than a lane operation reads it, or a lane operation whose result is
 * needed. */
void mark_used_results(Lowering *l)
{
    Code *code = l->code;
    uint8_t *is_needed = arena_array(l->arena, (size_t)l->register_count + 1, sizeof *is_needed);
    note_ends(code, is_needed);
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (int i = code->instruction_count; i-- > 0;) {
            const Instruction *instruction = &code->instructions[i];
            if (instruction->kind != RUN_LANES || is_needed[instruction->results[0].slot])
                has_changed |= note_sources(instruction, is_needed);
        }
    }
    for (int i = 0; i < code->instruction_count; i++) {
        Operand result = code->instructions[i].results[0];
        if (code->instructions[i].kind == ATOMIC && result.slot != NO_SLOT)
            code->instructions[i].uses_result = is_needed[result.slot];
    }
}
