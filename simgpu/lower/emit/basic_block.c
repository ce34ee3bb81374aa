#include "simgpu/lower/emit/basic_block.h"

#include <string.h>

static bool is_blank(const Lowering *l, const BasicBlock *block)
{
    return block->ends == END_FALL && block->instructions == 0 && !block->joins &&
           block->first == l->code->instruction_count;
}

int new_block(Lowering *l)
{
    Code *code = l->code;
    if (code->block_count > 0 && is_blank(l, &code->blocks[code->block_count - 1]))
        return code->block_count - 1;
    if (code->block_count > 0)
        code->blocks[code->block_count - 1].end = code->instruction_count;
    code->blocks = arena_grown(&code->arena, code->blocks, (size_t)code->block_count, &l->block_capacity,
                               sizeof *code->blocks);
    code->blocks[code->block_count] = (BasicBlock){.first = code->instruction_count,
                                                   .end = code->instruction_count,
                                                   .target = -1,
                                                   .guard = no_operand,
                                                   .index = no_operand,
                                                   .threads = no_operand,
                                                   .source = no_operand,
                                                   .result = no_operand};
    return code->block_count++;
}

BasicBlock *current_block(Lowering *l)
{
    BasicBlock *block = &l->code->blocks[l->code->block_count - 1];
    block->end = l->code->instruction_count;
    return block;
}

void join_warp(Lowering *l)
{
    int block = new_block(l);
    l->code->blocks[block].joins = true;
}

static BlockLine *current_block_line(Lowering *l)
{
    Code *code = l->code;
    int block = code->block_count - 1;
    for (int i = code->block_line_count - 1; i >= 0 && code->block_lines[i].block == block; i--)
        if (code->block_lines[i].file == l->source->file && code->block_lines[i].line == l->source->line)
            return &code->block_lines[i];
    code->block_lines = arena_grown(&code->arena, code->block_lines, (size_t)code->block_line_count,
                                    &l->block_line_capacity, sizeof *code->block_lines);
    BlockLine *new = &code->block_lines[code->block_line_count++];
    *new = (BlockLine){.block = block, .file = l->source->file, .line = l->source->line};
    return new;
}

void count_instruction(Lowering *l)
{
    current_block(l)->instructions++;
    current_block_line(l)->instructions++;
}

static bool is_division(const char *opcode)
{
    return strncmp(opcode, "div.", 4) == 0 || strncmp(opcode, "rem.", 4) == 0;
}

/* div.approx and div.full are a reciprocal and a multiplication. */
static bool is_rounded_division(const char *opcode)
{
    return strncmp(opcode, "div.r", 5) == 0;
}

void count_class(Lowering *l, OpClass op_class)
{
    BlockLine *line = current_block_line(l);
    current_block(l)->classes[op_class]++;
    line->classes[op_class]++;
    line->divisions += op_class == INTEGER && is_division(l->source->opcode);
    line->float_divisions += op_class == FP32 && is_rounded_division(l->source->opcode);
}

void count_control(Lowering *l)
{
    count_instruction(l);
    count_class(l, CONTROL);
}

void count_request(Lowering *l, const Instruction *instruction)
{
    BasicBlock *block = current_block(l);
    if (instruction->is_hidden || instruction->space == PTX_PARAM)
        return;
    if (instruction->space == PTX_SHARED)
        block->shared_loads++;
    else if (instruction->space == PTX_CONST)
        block->constant_loads++;
    else
        block->loads++;
}

BasicBlock *end_block(Lowering *l, BlockEnd ends)
{
    int index = l->code->block_count - 1;
    BasicBlock *block = current_block(l);
    block->ends = (uint8_t)ends;
    block->guard = l->guard;
    block->guard_negated = l->guard_negated;
    block->file = l->source->file;
    block->line = l->source->line;
    count_control(l);
    new_block(l);
    return &l->code->blocks[index];
}
