#include "simgpu/code/liveness.h"

#include "simgpu/code/matrix_fragment.h"

#include <string.h>

enum { MAX_SET_BYTES = 256 << 20 };

typedef struct LivenessScan {
    const Code *code;
    size_t words;
    uint64_t *used, *defined; /* [block][words] read before it is written; written before it is read */
} LivenessScan;

static void set_add(uint64_t *set, uint32_t number)
{
    set[number / 64] |= 1ull << (number % 64);
}

static void note_use(LivenessScan *scan, int block, Operand operand)
{
    if (operand.slot != NO_SLOT && !set_has(scan->defined + (size_t)block * scan->words, operand.slot))
        set_add(scan->used + (size_t)block * scan->words, operand.slot);
}

static void note_definition(LivenessScan *scan, int block, Operand operand)
{
    if (operand.slot != NO_SLOT)
        set_add(scan->defined + (size_t)block * scan->words, operand.slot);
}

/* A guarded result keeps its old value in some lanes, and so counts as a use, not as a definition. */
static void scan_block(LivenessScan *scan, int number)
{
    const BasicBlock *block = &scan->code->blocks[number];
    for (int i = block->first; i < block->end; i++) {
        const Instruction *instruction = &scan->code->instructions[i];
        bool is_guarded = instruction->guard.slot != NO_SLOT;
        note_use(scan, number, instruction->guard);
        for (int j = 0; j < MAX_SOURCES; j++)
            note_use(scan, number, instruction->sources[j]);
        for (int j = matrix_operand_count(instruction->matrix); j-- > 0;) /* sources before results */
            if (is_guarded || j >= instruction->matrix->d_count)
                note_use(scan, number, instruction->matrix->operands[j]);
            else
                note_definition(scan, number, instruction->matrix->operands[j]);
        for (int j = 0; j < MAX_RESULTS; j++)
            if (is_guarded)
                note_use(scan, number, instruction->results[j]);
            else
                note_definition(scan, number, instruction->results[j]);
    }
    const Operand ends[] = {block->guard, block->index, block->threads, block->source};
    for (size_t j = 0; j < sizeof ends / sizeof *ends; j++)
        note_use(scan, number, ends[j]);
    if (block->guard.slot != NO_SLOT)
        note_use(scan, number, block->result);
    else
        note_definition(scan, number, block->result);
}

void liveness_out(const Liveness *liveness, const Code *code, int block, uint64_t *out)
{
    memset(out, 0, liveness->words * sizeof *out);
    for (int i = 0, next; (next = code_successor(code, block, i)) != -2; i++)
        if (next >= 0)
            for (size_t w = 0; w < liveness->words; w++)
                out[w] |= liveness_in(liveness, next)[w];
}

/* One pass over the blocks, last one first; true where it changed a set. */
static bool propagate(const LivenessScan *scan, Liveness *liveness, uint64_t *out)
{
    bool has_changed = false;
    for (int number = scan->code->block_count; number-- > 0;) {
        size_t at = (size_t)number * scan->words;
        liveness_out(liveness, scan->code, number, out);
        for (size_t w = 0; w < scan->words; w++) {
            uint64_t in = scan->used[at + w] | (out[w] & ~scan->defined[at + w]);
            has_changed |= in != liveness->live_in[at + w];
            liveness->live_in[at + w] = in;
        }
    }
    return has_changed;
}

bool liveness_find(const Code *code, uint32_t register_count, Arena *arena, Liveness *liveness)
{
    size_t words = ((size_t)register_count + 64) / 64, blocks = (size_t)code->block_count;
    if (words * blocks > MAX_SET_BYTES / sizeof(uint64_t))
        return false;
    *liveness = (Liveness){.words = words, .live_in = arena_array(arena, words * blocks, sizeof(uint64_t))};
    LivenessScan scan = {.code = code,
                         .words = words,
                         .used = arena_array(arena, words * blocks, sizeof(uint64_t)),
                         .defined = arena_array(arena, words * blocks, sizeof(uint64_t))};
    uint64_t *out = arena_array(arena, words, sizeof *out);
    for (int number = 0; number < code->block_count; number++)
        scan_block(&scan, number);
    while (propagate(&scan, liveness, out))
        ;
    return true;
}
