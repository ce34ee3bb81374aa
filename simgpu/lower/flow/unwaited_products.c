/* The state of a register is 0 where it is no sum that must be waited for, or else 1 + the groups that have been committed
 * since. Where paths meet, a register must be waited for if it must on each of them.  */
#include "simgpu/lower/flow/unwaited_products.h"

#include "simgpu/code/matrix_fragment.h"
#include "simgpu/code/opcodes.h"
#include "simgpu/lower/emit/emit.h"

#include <string.h>

enum { MOST_GROUPS = 100 }; /* that are told apart */

typedef struct Waiting {
    Code *code;
    uint32_t register_count;
    uint8_t *at_start;  /* [block][register_count] */
    bool *is_reached;   /* [block] */
    uint8_t *now;       /* [register_count] */
    bool *is_too_early; /* [instruction] */
} Waiting;

static bool has_products(const Code *code)
{
    for (int i = 0; i < code->instruction_count; i++)
        if (code->instructions[i].matrix != NULL && code->instructions[i].matrix->is_of_warpgroup)
            return true;
    return false;
}

static bool is_move(const Instruction *instruction)
{
    return instruction->kind == RUN_LANES && instruction->guard.slot == NO_SLOT &&
           strncmp(opcode_info((Opcode)instruction->opcode)->form, "mov.", 4) == 0;
}

static uint8_t state_of(const Waiting *w, Operand operand)
{
    return operand.slot == NO_SLOT ? 0 : w->now[operand.slot];
}

/* Moves, the sums of another wgmma and what the lowering itself emits for one are no uses. */
static bool takes_sum(const Waiting *w, const Instruction *instruction)
{
    const Matrix *matrix = instruction->matrix;
    bool takes = false;
    if (is_move(instruction) || instruction->is_hidden)
        return false;
    for (int i = 0; i < MAX_SOURCES; i++)
        takes |= state_of(w, instruction->sources[i]) != 0;
    if (matrix == NULL)
        return takes;
    const int end = matrix->d_count + matrix->a_count + matrix->b_count +
                    (matrix->is_of_warpgroup ? 0 : matrix->c_count);
    for (int i = matrix->d_count; i < end; i++)
        takes |= state_of(w, matrix->operands[i]) != 0;
    return takes;
}

static void count_group(Waiting *w)
{
    for (uint32_t i = 0; i < w->register_count; i++)
        w->now[i] += w->now[i] != 0 && w->now[i] < MOST_GROUPS;
}

static void wait_for_all_but(Waiting *w, uint32_t groups)
{
    for (uint32_t i = 0; i < w->register_count; i++)
        if (w->now[i] >= 2 + groups)
            w->now[i] = 0;
}

static void follow(Waiting *w, const Instruction *instruction)
{
    const Matrix *matrix = instruction->matrix;
    const uint8_t moved = is_move(instruction) ? state_of(w, instruction->sources[0]) : 0;
    if (instruction->kind == PRODUCT_COMMIT)
        count_group(w);
    if (instruction->kind == PRODUCT_WAIT)
        wait_for_all_but(w, instruction->detail);
    for (int i = 0; i < MAX_RESULTS; i++)
        if (instruction->results[i].slot != NO_SLOT)
            w->now[instruction->results[i].slot] = moved;
    for (int i = 0; matrix != NULL && i < matrix->d_count; i++)
        if (matrix->operands[i].slot != NO_SLOT)
            w->now[matrix->operands[i].slot] = matrix->is_of_warpgroup;
}

/* True where that changes what is known at the start of the block. */
static bool pass_to(Waiting *w, int block)
{
    uint8_t *there = w->at_start + (size_t)block * w->register_count;
    bool has_changed = !w->is_reached[block];
    for (uint32_t i = 0; i < w->register_count; i++) {
        const uint8_t more = w->now[i] > there[i] ? w->now[i] : there[i];
        const uint8_t both = w->now[i] == 0 || there[i] == 0 ? 0 : more;
        const uint8_t next = w->is_reached[block] ? both : w->now[i];
        has_changed |= next != there[i];
        there[i] = next;
    }
    w->is_reached[block] = true;
    return has_changed;
}

static bool follow_block(Waiting *w, int number)
{
    const BasicBlock *block = &w->code->blocks[number];
    bool has_changed = false;
    memcpy(w->now, w->at_start + (size_t)number * w->register_count, w->register_count);
    for (int i = block->first; i < block->end; i++) {
        w->is_too_early[i] = takes_sum(w, &w->code->instructions[i]);
        follow(w, &w->code->instructions[i]);
    }
    for (int i = 0, next; (next = code_successor(w->code, number, i)) != -2; i++)
        if (next >= 0)
            has_changed |= pass_to(w, next);
    return has_changed;
}

/* ---- the new code ------------------------------------------------------------------------------------------------ */

static void copy(Lowering *l, const Instruction *instruction)
{
    Instruction *to = emit(l, (InstructionKind)RUN_LANES);
    *to = *instruction;
}

static void insert_checks(Lowering *l, const Waiting *w)
{
    Code *code = l->code;
    const int count = code->instruction_count;
    Instruction *old = arena_array(l->arena, (size_t)count + 1, sizeof *old);
    memcpy(old, code->instructions, (size_t)count * sizeof *old);
    code->instruction_count = 0;
    l->guard = no_operand;
    for (int number = 0; number < code->block_count; number++) {
        BasicBlock *block = &code->blocks[number];
        const int first = block->first, end = block->end;
        block->first = code->instruction_count;
        for (int i = first; i < end; i++) {
            if (w->is_too_early[i]) {
                Instruction *check = emit(l, CHECK_WAITED);
                check->file = old[i].file;
                check->line = old[i].line;
                check->ptx_line = old[i].ptx_line;
            }
            copy(l, &old[i]);
        }
        block->end = code->instruction_count;
    }
}

void mark_unwaited_products(Lowering *l)
{
    Waiting w = {.code = l->code, .register_count = (uint32_t)l->register_count};
    bool has_changed = true, is_any = false;
    if (!has_products(l->code))
        return;
    w.at_start = arena_array(l->arena, (size_t)l->code->block_count * w.register_count + 1, 1);
    w.is_reached = arena_array(l->arena, (size_t)l->code->block_count, sizeof *w.is_reached);
    w.now = arena_array(l->arena, (size_t)w.register_count + 1, 1);
    w.is_too_early = arena_array(l->arena, (size_t)l->code->instruction_count + 1, sizeof *w.is_too_early);
    for (w.is_reached[0] = true; has_changed;) {
        has_changed = false;
        for (int i = 0; i < l->code->block_count; i++)
            if (w.is_reached[i])
                has_changed |= follow_block(&w, i);
    }
    for (int i = 0; i < l->code->instruction_count; i++)
        is_any |= w.is_too_early[i];
    if (is_any)
        insert_checks(l, &w);
}
