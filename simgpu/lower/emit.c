#include "simgpu/lower/emit.h"

#include "simgpu/code/instruction.h"
#include "simgpu/lower/lowering.h"

#include <stdio.h>

Instruction *emit(Lowering *l, InstructionKind kind)
{
    Code *code = l->code;
    if (code->instruction_count == MAX_CODE_INSTRUCTIONS)
        lower_refuse(l, "a kernel this large");
    code->instructions = arena_grown(&code->arena, code->instructions, (size_t)code->instruction_count,
                                     &l->instruction_capacity, sizeof *code->instructions);
    Instruction *instruction = &code->instructions[code->instruction_count++];
    *instruction = (Instruction){
        .kind = (uint8_t)kind, .guard = l->guard, .guard_negated = l->guard_negated, .index = -1};
    for (int i = 0; i < MAX_RESULTS; i++)
        instruction->results[i] = no_operand;
    for (int i = 0; i < MAX_SOURCES; i++)
        instruction->sources[i] = no_operand;
    if (l->source != NULL) {
        instruction->file = l->source->file;
        instruction->line = l->source->line;
        instruction->ptx_line = l->source->ptx_line;
    }
    if (instruction_facts(instruction).is_indexed)
        instruction->index = code->memory_count++;
    return instruction;
}

Instruction *emit_opcode(Lowering *l, Opcode opcode, Operand result, const Operand *sources, int count)
{
    Instruction *instruction = emit(l, ALU);
    instruction->opcode = (uint16_t)opcode;
    instruction->run = lanes_best()->run[opcode];
    instruction->results[0] = result;
    for (int i = 0; i < count; i++)
        instruction->sources[i] = sources[i];
    return instruction;
}

void emit_form(Lowering *l, const char *form, Operand result, Operand a, Operand b, Operand c)
{
    Opcode opcode = opcode_find(form);
    if (opcode == OPCODE_NONE)
        lower_refuse(l, form);
    const Operand sources[] = {a, b, c};
    emit_opcode(l, opcode, result, sources, 3);
}

void emit_extend(Lowering *l, PtxType kept, Operand result, Operand from)
{
    uint32_t bits = 8 * ptx_type_bytes(kept);
    char form[64];
    snprintf(form, sizeof form, "+extend.%c%u.%u.%u", ptx_type_is_signed(kept) && bits < 64 ? 's' : 'u', bits,
             8 * bytes_of(result), 8 * bytes_of(from));
    emit_form(l, form, result, from, no_operand, no_operand);
}

void emit_move(Lowering *l, Operand result, Operand value)
{
    static const char *const forms[] = {"mov.pred", "mov.b16", "mov.b32", "mov.b64"};
    emit_form(l, forms[result.size], result, value, no_operand, no_operand);
}

PtxType unsigned_type(uint32_t bytes)
{
    return bytes == 2 ? PTX_U16 : bytes == 4 ? PTX_U32 : PTX_U64;
}

static bool reads(const Instruction *instruction, uint32_t number)
{
    for (int i = 0; i < MAX_SOURCES; i++)
        if (number != NO_SLOT && instruction->sources[i].slot == number)
            return true;
    return false;
}

void separate_results_from_sources(Lowering *l)
{
    int last = l->code->instruction_count - 1;
    for (int i = 0; i < 2; i++) {
        Operand result = l->code->instructions[last].results[i];
        if (!reads(&l->code->instructions[last], result.slot))
            continue;
        Operand other = temporary(l, bytes_of(result));
        l->code->instructions[last].results[i] = other;
        emit_move(l, result, other);
    }
}

void emit_clamp(Lowering *l, const char *clamp, PtxType type, Operand value)
{
    char form[32];
    if (clamp == NULL)
        return;
    snprintf(form, sizeof form, "%s.%s", clamp, ptx_type_name(type));
    emit_form(l, form, value, value, no_operand, no_operand);
}

void emit_sized(Lowering *l, Opcode opcode, Operand result, const Operand *sources, int count, int rounding)
{
    const OpcodeInfo *info = opcode_info(opcode);
    bool fits = bytes_of(result) == info->result_bytes;
    Operand target = fits ? result : temporary(l, info->result_bytes);
    emit_opcode(l, opcode, target, sources, count)->rounding = (uint8_t)rounding;
    if (!fits)
        emit_extend(l, unsigned_type(bytes_of(target.size < result.size ? target : result)), result, target);
}
