#include "simgpu/lower/flow/product_flow.h"

#include "simgpu/code/matrix_fragment.h"
#include "simgpu/code/opcodes.h"
#include "simgpu/lower/emit/emit.h"

#include <string.h>

bool product_flow_is_move(const Instruction *instruction)
{
    return instruction->kind == RUN_LANES && instruction->guard.slot == NO_SLOT &&
           strncmp(opcode_info((Opcode)instruction->opcode)->form, "mov.", 4) == 0;
}

uint8_t product_flow_state(const ProductFlow *flow, Operand operand)
{
    return operand.slot == NO_SLOT ? 0 : flow->now[operand.slot];
}

static bool has_products(const Code *code)
{
    for (int i = 0; i < code->instruction_count; i++)
        if (code->instructions[i].matrix != NULL && code->instructions[i].matrix->is_of_warpgroup)
            return true;
    return false;
}

static uint8_t *start_of(const ProductFlow *flow, int block)
{
    return flow->at_start + (size_t)block * (flow->register_count + 1);
}

/* True where that changes what is known at the start of the block. */
static bool pass_to(ProductFlow *flow, const ProductRules *rules, int block)
{
    uint8_t *there = start_of(flow, block);
    bool has_changed = !flow->is_reached[block];
    for (uint32_t i = 0; i <= flow->register_count; i++) {
        const uint8_t next = flow->is_reached[block] ? rules->meet(flow->now[i], there[i]) : flow->now[i];
        has_changed |= next != there[i];
        there[i] = next;
    }
    flow->is_reached[block] = true;
    return has_changed;
}

static bool follow_block(ProductFlow *flow, const ProductRules *rules, int number)
{
    const BasicBlock *block = &flow->code->blocks[number];
    bool has_changed = false;
    memcpy(flow->now, start_of(flow, number), flow->register_count + 1);
    for (int i = block->first; i < block->end; i++) {
        flow->is_undefined[i] = rules->is_undefined(flow, &flow->code->instructions[i]);
        rules->follow(flow, &flow->code->instructions[i]);
    }
    if (block->ends == END_CALL && rules->call != NULL)
        rules->call(flow);
    for (int i = 0, next; (next = code_successor(flow->code, number, i)) != -2; i++)
        if (next >= 0)
            has_changed |= pass_to(flow, rules, next);
    return has_changed;
}

/* ---- the new code ------------------------------------------------------------------------------------------------ */

static void copy(Lowering *l, const Instruction *instruction)
{
    Instruction *to = emit(l, (InstructionKind)RUN_LANES);
    *to = *instruction;
}

static void insert_checks(Lowering *l, const ProductFlow *flow, InstructionKind kind)
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
            if (flow->is_undefined[i]) {
                Instruction *check = emit(l, kind);
                check->file = old[i].file;
                check->line = old[i].line;
                check->ptx_line = old[i].ptx_line;
            }
            copy(l, &old[i]);
        }
        block->end = code->instruction_count;
    }
}

void product_flow_mark(Lowering *l, const ProductRules *rules, InstructionKind check)
{
    ProductFlow flow = {.code = l->code, .register_count = (uint32_t)l->register_count};
    const size_t states = (size_t)flow.register_count + 1;
    bool has_changed = true, is_any = false;
    if (!has_products(l->code))
        return;
    flow.at_start = arena_array(l->arena, (size_t)l->code->block_count * states, 1);
    flow.is_reached = arena_array(l->arena, (size_t)l->code->block_count, sizeof *flow.is_reached);
    flow.now = arena_array(l->arena, states, 1);
    flow.is_undefined = arena_array(l->arena, (size_t)l->code->instruction_count + 1, sizeof *flow.is_undefined);
    for (flow.is_reached[0] = true; has_changed;) {
        has_changed = false;
        for (int i = 0; i < l->code->block_count; i++)
            if (flow.is_reached[i])
                has_changed |= follow_block(&flow, rules, i);
    }
    for (int i = 0; i < l->code->instruction_count; i++)
        is_any |= flow.is_undefined[i];
    if (is_any)
        insert_checks(l, &flow, check);
}
