#include "simgpu/lower/check_registers.h"

#include "simgpu/code/instruction.h"
#include "simgpu/code/matrix_fragment.h"
#include "simgpu/lower/emit/virtual_register.h"

#include <stdio.h>

/* The columns `results` and `sources` of instructions.def say what engines touch of the registers of an instruction, by
 * a letter for each operand: p a predicate, 4 or 8 bytes, a either of these, e an element as large as in memory, w one
 * in a register of at least that size, r any register. '?' behind it: the operand may be missing; '*': so it may, and
 * the same goes for all that follow. Operands for which there is no letter must be missing. */
static bool has_size(const Lowering *l, Operand operand, char letter, uint32_t element)
{
    const uint32_t bytes = bytes_of(operand);
    if (operand.size != l->register_sizes[operand.slot])
        return false;
    switch (letter) {
    case 'p': return bytes == 1;
    case '4': return bytes == 4;
    case '8': return bytes == 8;
    case 'a': return bytes == 4 || bytes == 8;
    case 'e': return bytes == element;
    case 'w': return bytes >= element && bytes >= 2;
    case 'r': return true;
    }
    return false;
}

static bool have_sizes(const Lowering *l, const Operand *operands, int count, const char *letters, uint32_t element)
{
    for (int i = 0; i < count; i++) {
        const char letter = *letters;
        const bool is_needed = letter != '\0' && letters[1] != '?' && letters[1] != '*';
        if (operands[i].slot == NO_SLOT ? is_needed : !has_size(l, operands[i], letter, element))
            return false;
        if (letter != '\0' && letters[1] != '*')
            letters += letters[1] == '?' ? 2 : 1;
    }
    return true;
}

static bool is_lane_operation_right(const Lowering *l, const Instruction *instruction)
{
    const OpcodeInfo *info = opcode_info((Opcode)instruction->opcode);
    const Operand *sources = instruction->sources;
    if (!have_sizes(l, instruction->results, 1, "e", info->result_bytes))
        return false;
    for (int i = 0; i < 4; i++)
        if (info->source_bytes[i] != 0 && !have_sizes(l, &sources[i], 1, "e", info->source_bytes[i]))
            return false;
    return true;
}

static bool is_instruction_right(const Lowering *l, const Instruction *instruction)
{
    const InstructionFacts facts = instruction_facts(instruction);
    const uint32_t element = 1u << instruction->size;
    const Matrix *matrix = instruction->matrix;
    if (!have_sizes(l, &instruction->guard, 1, "p?", 0))
        return false;
    if (instruction->kind == RUN_LANES)
        return is_lane_operation_right(l, instruction);
    if (instruction->kind == MULTIPLY_MATRIX)
        return have_sizes(l, matrix->operands, matrix_operand_count(matrix), "e*", matrix->a == MATRIX_F64 ? 8 : 4);
    return have_sizes(l, instruction->results, MAX_RESULTS, facts.results, element) &&
           have_sizes(l, instruction->sources, MAX_SOURCES, facts.sources, element);
}

static bool is_block_end_right(const Lowering *l, const BasicBlock *block)
{
    return have_sizes(l, &block->guard, 1, "p?", 0) &&
           have_sizes(l, &block->index, 1, block->ends == END_CALL ? "8?" : "4?", 0) &&
           have_sizes(l, &block->threads, 1, "4?", 0) && have_sizes(l, &block->source, 1, "p?", 0) &&
           have_sizes(l, &block->result, 1, block->barrier == BARRIER_POPC ? "4?" : "p?", 0);
}

static void refuse_misuse(Lowering *l, int line)
{
    char what[100];
    snprintf(what, sizeof what, REGISTER_MISUSE " (line %d)", line);
    lower_refuse(l, what);
}

void check_registers(Lowering *l)
{
    for (int i = 0; i < l->code->instruction_count; i++)
        if (!is_instruction_right(l, &l->code->instructions[i]))
            refuse_misuse(l, l->code->instructions[i].line);
    for (int i = 0; i < l->code->block_count; i++)
        if (!is_block_end_right(l, &l->code->blocks[i]))
            refuse_misuse(l, l->code->blocks[i].line);
}
