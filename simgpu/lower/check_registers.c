
#include "simgpu/code/instruction.h"
#include "simgpu/code/matrix_fragment.h"
#include "simgpu/lower/lowering.h"

#include <stdio.h>

/* ==== unused bytes ================================================================================================ */

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

/* ==== used results ================================================================================================ */

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
            if (instruction->kind != ALU || is_needed[instruction->results[0].slot])
                has_changed |= note_sources(instruction, is_needed);
        }
    }
    for (int i = 0; i < code->instruction_count; i++) {
        Operand result = code->instructions[i].results[0];
        if (code->instructions[i].kind == ATOMIC && result.slot != NO_SLOT)
            code->instructions[i].uses_result = is_needed[result.slot];
    }
}

/* ==== check registers ============================================================================================= */

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
    if (instruction->kind == ALU)
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
