#include "simgpu/lower/lowering.h"

#include "simgpu/code/code.h"
#include "simgpu/code/instruction.h"
#include "simgpu/code/lane_math.h"

#include <stdio.h>
#include <string.h>

/* ==== parts ======================================================================================================= */

OpcodeModifiers parts_of(Lowering *l, const char *opcode)
{
    OpcodeModifiers parts = {0};
    char *copy = arena_string(l->arena, opcode), *rest;
    for (char *part = strtok_r(copy, ".", &rest); part != NULL; part = strtok_r(NULL, ".", &rest)) {
        if (parts.count == MAX_PARTS)
            lower_refuse(l, "");
        parts.part[parts.count++] = part;
    }
    if (parts.count == 0)
        lower_refuse(l, "");
    return parts;
}

bool parts_have(const OpcodeModifiers *parts, const char *name)
{
    for (int i = 1; i < parts->count; i++)
        if (strcmp(parts->part[i], name) == 0)
            return true;
    return false;
}

int rounding_of(const char *part)
{
    static const char *const names[] = {
        [ROUND_NEAREST] = "rn", [ROUND_ZERO] = "rz", [ROUND_DOWN] = "rm", [ROUND_UP] = "rp"};
    for (int i = 0; i < (int)(sizeof names / sizeof *names); i++)
        if (strcmp(part, names[i]) == 0)
            return i;
    return -1;
}

PtxType type_part(const char *part)
{
    return ptx_type(part, strlen(part));
}

PtxType last_type(Lowering *l, const OpcodeModifiers *parts, int from_end)
{
    PtxType type = parts->count > from_end ? type_part(parts->part[parts->count - 1 - from_end]) : PTX_NO_TYPE;
    if (type == PTX_NO_TYPE || type == PTX_OTHER_TYPE)
        lower_refuse(l, "");
    return type;
}

bool parts_release(const OpcodeModifiers *parts)
{
    return (parts_have(parts, "release") || parts_have(parts, "acq_rel")) && !parts_have(parts, "cta");
}

/* ==== virtual register ============================================================================================ */

uint32_t bytes_of(Operand operand)
{
    return 1u << operand.size;
}

uint32_t logarithm(uint32_t bytes)
{
    return bytes == 8 ? 3 : bytes == 4 ? 2 : bytes == 2 ? 1 : 0;
}

uint32_t new_virtual(Lowering *l, uint32_t size)
{
    l->register_sizes = arena_grown(l->arena, l->register_sizes, l->register_count, &l->register_capacity, 1);
    l->register_sizes[l->register_count] = (uint8_t)size;
    return l->register_count++;
}

Operand temporary(Lowering *l, uint32_t bytes)
{
    return (Operand){.slot = new_virtual(l, logarithm(bytes)), .size = logarithm(bytes) & 0xF};
}

Operand special_register(Lowering *l, SpecialRegisterKind kind, int detail, uint64_t value, uint32_t bytes)
{
    Code *code = l->code;
    for (int i = 0; i < code->special_register_count; i++) {
        const SpecialRegister *other = &code->special_registers[i];
        if (other->kind == kind && other->detail == detail && other->value == value &&
            bytes_of(other->operand) == bytes)
            return other->operand;
    }
    code->special_registers = arena_grown(&code->arena, code->special_registers, (size_t)code->special_register_count,
                                          &l->special_capacity, sizeof *code->special_registers);
    SpecialRegister *new = &code->special_registers[code->special_register_count++];
    *new = (SpecialRegister){.kind = kind, .detail = detail, .value = value, .operand = temporary(l, bytes)};
    return new->operand;
}

Operand constant(Lowering *l, uint64_t value, uint32_t bytes)
{
    if (bytes < 8)
        value &= (1ull << (8 * bytes)) - 1;
    return special_register(l, SPECIAL_CONSTANT, 0, value, bytes);
}

/* ==== basic block ================================================================================================= */

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

/* ==== lowering ==================================================================================================== */

__attribute__((noreturn)) static void give_up(Lowering *l, Status status, const char *says, const char *what)
{
    const PtxInstruction *source = l->source;
    const char *file = source != NULL && source->file < l->module->file_count ? l->module->files[source->file] : NULL;
    const char *slash = file != NULL ? strrchr(file, '/') : NULL;
    if (source == NULL)
        l->refusal = fail(status, l->why, "%s %s", says, what);
    else if (file != NULL && source->line > 0)
        l->refusal = fail(status, l->why, "%s '%.100s'%s%s (%s:%d)", says, source->opcode, *what ? ": " : "", what,
                          slash != NULL ? slash + 1 : file, source->line);
    else
        l->refusal = fail(status, l->why, "%s '%.100s'%s%s (%s:%d)", says, source->opcode, *what ? ": " : "", what,
                          l->module->name, source->ptx_line);
    longjmp(l->give_up, 1);
}

void lower_refuse(Lowering *l, const char *what)
{
    give_up(l, STATUS_UNSUPPORTED, "the simulated GPU does not implement", what);
}

/* ---- operands that PTX does not allow ---------------------------------------------------------------------------- */

void lower_reject(Lowering *l, const char *what)
{
    give_up(l, STATUS_BAD_INPUT, "this is not PTX:", what);
}

/* "operand 2", "element 1 of operand 2"; numbers begin with 1. */
static void name_operand(const PtxInstruction *source, const PtxOperand *operand, char *name, size_t size)
{
    snprintf(name, size, "an operand");
    for (int i = 0; i < source->operand_count; i++) {
        if (operand == &source->operands[i])
            snprintf(name, size, "operand %d", i + 1);
        for (int j = 0; j < source->operands[i].element_count; j++)
            if (operand == &source->operands[i].elements[j])
                snprintf(name, size, "element %d of operand %d", j + 1, i + 1);
    }
}

static void describe_register(const Lowering *l, int number, char *text, size_t size)
{
    const PtxType type = l->instance->function->register_types[number];
    if (type == PTX_PRED)
        snprintf(text, size, "a predicate");
    else
        snprintf(text, size, "a register of %u bits", 8 * ptx_type_bytes(type));
}

static void describe_operand(const Lowering *l, const PtxOperand *operand, char *text, size_t size)
{
    static const char *const kinds[] = {[PTX_SPECIAL] = "a special register",
                                        [PTX_IMMEDIATE] = "a constant",
                                        [PTX_ADDRESS] = "an address",
                                        [PTX_VARIABLE] = "a variable",
                                        [PTX_LABEL] = "a label",
                                        [PTX_FUNCTION] = "a function",
                                        [PTX_VECTOR] = "a vector",
                                        [PTX_PAIR] = "a pair",
                                        [PTX_LIST] = "a list",
                                        [PTX_SINK] = "'_'"};
    char what[40];
    if (operand->kind == PTX_REGISTER)
        describe_register(l, operand->register_index, what, sizeof what);
    else if (operand->kind == PTX_ADDRESS && operand->register_index >= 0)
        describe_register(l, operand->register_index, what, sizeof what);
    else
        snprintf(what, sizeof what, "%s", kinds[operand->kind]);
    snprintf(text, size, "%s%s%s", operand->kind == PTX_ADDRESS && operand->register_index >= 0 ? "an address in " : "",
             operand->negated ? "'!' in front of " : "", what);
}

void lower_reject_operand(Lowering *l, const PtxOperand *operand, const char *expected)
{
    char name[40], found[80], what[200];
    name_operand(l->source, operand, name, sizeof name);
    describe_operand(l, operand, found, sizeof found);
    snprintf(what, sizeof what, "%s is %s, expected %.60s", name, found, expected);
    lower_reject(l, what);
}

/* ---- which operands an instruction has --------------------------------------------------------------------------- */

const PtxOperand *operand_at(Lowering *l, int index)
{
    if (index < 0 || index >= l->source->operand_count)
        lower_reject(l, "fewer operands than expected");
    take_operand(l, index);
    return &l->source->operands[index];
}

void take_operand(Lowering *l, long index)
{
    l->taken |= 1u << index;
}

void check_all_taken(Lowering *l)
{
    if (l->taken != (1u << l->source->operand_count) - 1)
        lower_reject(l, "more operands than expected");
}

/* ==== emit ======================================================================================================== */

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
