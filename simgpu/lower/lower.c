/* Walks over the instructions of a kernel and emits micro-operations on virtual registers. Whatever is not understood
 * in full is refused by name: an instruction that was only guessed would give wrong answers.  */
#include "simgpu/lower/lower.h"

#include "simgpu/ptx/lexer.h"
#include "simgpu/lower/provenance.h"

#include <stdio.h>
#include <string.h>

/* ---- helpers ----------------------------------------------------------------------------------------------------- */

void lower_refuse(Lowering *l, const char *what)
{
    const PtxInstruction *source = l->source;
    const char *file = source != NULL && source->file < l->module->file_count ? l->module->files[source->file] : NULL;
    const char *slash = file != NULL ? strrchr(file, '/') : NULL;
    if (source == NULL)
        fail(STATUS_UNSUPPORTED, l->why, "%s", what);
    else if (file != NULL && source->line > 0)
        fail(STATUS_UNSUPPORTED, l->why, "the simulated GPU does not implement '%.100s'%s%s (%s:%d)", source->opcode,
             *what ? ": " : "", what, slash != NULL ? slash + 1 : file, source->line);
    else
        fail(STATUS_UNSUPPORTED, l->why, "the simulated GPU does not implement '%.100s'%s%s (%s:%d)", source->opcode,
             *what ? ": " : "", what, l->module->name, source->ptx_line);
    longjmp(l->give_up, 1);
}

Parts parts_of(Lowering *l, const char *opcode)
{
    Parts parts = {0};
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

bool parts_have(const Parts *parts, const char *name)
{
    for (int i = 1; i < parts->count; i++)
        if (strcmp(parts->part[i], name) == 0)
            return true;
    return false;
}

uint32_t bytes_of(Operand operand)
{
    return 1u << operand.size;
}

static uint32_t logarithm(uint32_t bytes)
{
    return bytes == 8 ? 3 : bytes == 4 ? 2 : bytes == 2 ? 1 : 0;
}

/* ---- registers --------------------------------------------------------------------------------------------------- */

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

Operand pinned(Lowering *l, SpecialRegisterKind kind, int detail, uint64_t value, uint32_t bytes)
{
    Code *code = l->code;
    for (int i = 0; i < code->pinned_count; i++) {
        const SpecialRegister *other = &code->pinned[i];
        if (other->kind == kind && other->detail == detail && other->value == value &&
            bytes_of(other->operand) == bytes)
            return other->operand;
    }
    code->pinned = arena_grown(&code->arena, code->pinned, (size_t)code->pinned_count, &l->pinned_capacity,
                               sizeof *code->pinned);
    SpecialRegister *new = &code->pinned[code->pinned_count++];
    *new = (SpecialRegister){.kind = kind, .detail = detail, .value = value, .operand = temporary(l, bytes)};
    return new->operand;
}

Operand constant(Lowering *l, uint64_t value, uint32_t bytes)
{
    if (bytes < 8)
        value &= (1ull << (8 * bytes)) - 1;
    return pinned(l, SPECIAL_CONSTANT, 0, value, bytes);
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */

/* One byte is a predicate, which is 0 or 1: compilers write -1 for true. */
static uint64_t immediate_bits(const PtxOperand *operand, uint32_t bytes)
{
    uint64_t bits = operand->number;
    if (bytes == 1)
        return bits != 0;
    if (operand->number_kind == NUMBER_FLOAT64 && bytes == 4) {
        double wide;
        memcpy(&wide, &bits, sizeof wide);
        float narrow = (float)wide;
        bits = 0;
        memcpy(&bits, &narrow, sizeof narrow);
    } else if (operand->number_kind == NUMBER_FLOAT32 && bytes == 8) {
        float narrow;
        memcpy(&narrow, &bits, sizeof narrow);
        double wide = narrow;
        memcpy(&bits, &wide, sizeof bits);
    }
    return bits;
}

static Operand clock_operand(Lowering *l, const char *name)
{
    Operand wide = temporary(l, 8);
    Instruction *clock = emit(l, CLOCK);
    clock->results[0] = wide;
    clock->detail = strcmp(name, "%globaltimer") == 0 || strncmp(name, "%globaltimer_", 13) == 0;
    l->code->reads_clock = true;
    if (strcmp(name, "%clock64") == 0 || strcmp(name, "%globaltimer") == 0)
        return wide;
    Operand half = temporary(l, 4);
    bool is_high = strstr(name, "_hi") != NULL;
    emit_form(l, is_high ? "+high.b64" : "+extend.u32.32.64", half, wide, no_operand, no_operand);
    return half;
}

static Operand special_operand(Lowering *l, const char *name)
{
    static const struct {
        const char *name;
        SpecialRegisterKind kind;
    } vectors[] = {
        {"%tid.", SPECIAL_TID},         {"%ntid.", SPECIAL_NTID},
        {"%ctaid.", SPECIAL_CTAID},     {"%nctaid.", SPECIAL_NCTAID},
        {"%clusterid.", SPECIAL_CTAID}, {"%nclusterid.", SPECIAL_NCTAID}, /* every cluster is of one block */
    };
    static const struct {
        const char *name;
        SpecialRegisterKind kind;
        int detail;
    } scalars[] = {
        {"%laneid", SPECIAL_LANE, 0},
        {"%warpid", SPECIAL_WARP, 0},
        {"%nwarpid", SPECIAL_WARPS, 0},
        {"%lanemask_eq", SPECIAL_LANEMASK, 0},
        {"%lanemask_le", SPECIAL_LANEMASK, 1},
        {"%lanemask_lt", SPECIAL_LANEMASK, 2},
        {"%lanemask_ge", SPECIAL_LANEMASK, 3},
        {"%lanemask_gt", SPECIAL_LANEMASK, 4},
        {"%dynamic_smem_size", SPECIAL_DYNAMIC_SHARED, 0},
        {"%total_smem_size", SPECIAL_TOTAL_SHARED, 0},
        {"%smid", SPECIAL_MULTIPROCESSOR, 0},
        {"%nsmid", SPECIAL_MULTIPROCESSORS, 0},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (strncmp(name, vectors[i].name, strlen(vectors[i].name)) == 0)
            return pinned(l, vectors[i].kind, name[strlen(vectors[i].name)] - 'x', 0, 4);
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
        if (strcmp(name, scalars[i].name) == 0)
            return pinned(l, scalars[i].kind, scalars[i].detail, 0, 4);
    if (strncmp(name, "%cluster_ctaid.", 15) == 0 || strcmp(name, "%cluster_ctarank") == 0)
        return constant(l, 0, 4);
    if (strncmp(name, "%cluster_nctaid.", 16) == 0 || strcmp(name, "%cluster_nctarank") == 0)
        return constant(l, 1, 4);
    if (strcmp(name, "%is_explicit_cluster") == 0)
        return constant(l, 0, 1);
    if (strcmp(name, "%gridid") == 0)
        return constant(l, 1, 8);
    return clock_operand(l, name);
}

Operand register_operand(Lowering *l, const PtxOperand *operand)
{
    if (operand->kind != PTX_REGISTER)
        lower_refuse(l, "an operand that must be a register is none");
    uint32_t number = l->instance->first_register + (uint32_t)operand->register_index;
    return (Operand){.slot = number, .size = l->register_sizes[number] & 0xF};
}

Operand source_operand(Lowering *l, const PtxOperand *operand, uint32_t bytes)
{
    Operand value;
    switch (operand->kind) {
    case PTX_REGISTER: value = register_operand(l, operand); break;
    case PTX_IMMEDIATE: return constant(l, immediate_bits(operand, bytes), bytes);
    case PTX_SPECIAL: value = special_operand(l, operand->name); break;
    case PTX_VARIABLE: return constant(l, variable_address(l, operand->variable) + operand->number, bytes);
    default: lower_refuse(l, "an operand of this kind");
    }
    if (operand->negated) {
        Operand negated = temporary(l, 1);
        emit_form(l, "not.pred", negated, value, no_operand, no_operand);
        return negated;
    }
    if (bytes_of(value) == bytes)
        return value;
    if (bytes == 1 || value.size == 0)
        lower_refuse(l, "a predicate where a number belongs, or the other way round");
    Operand fitted = temporary(l, bytes);
    emit_extend(l, unsigned_type(bytes_of(fitted.size < value.size ? fitted : value)), fitted, value);
    return fitted;
}

Operand result_operand(Lowering *l, const PtxOperand *operand, uint32_t bytes)
{
    if (operand->kind == PTX_SINK)
        return temporary(l, bytes);
    Operand result = register_operand(l, operand);
    if ((result.size == 0) != (bytes == 1))
        lower_refuse(l, "a predicate where a number belongs, or the other way round");
    return result;
}

const PtxOperand *operand_at(Lowering *l, int index)
{
    if (index >= l->source->operand_count)
        lower_refuse(l, "an operand is missing");
    return &l->source->operands[index];
}

/* ---- emission ---------------------------------------------------------------------------------------------------- */

Instruction *emit(Lowering *l, InstructionKind kind)
{
    Code *code = l->code;
    if (code->instruction_count == MAX_CODE_INSTRUCTIONS)
        lower_refuse(l, "the kernel is too large");
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
    if (kind == LOAD || kind == STORE || kind == ATOMIC || kind == COPY_ASYNC || kind == TEXTURE ||
        kind == LOAD_MATRIX || kind == STORE_MATRIX || kind == SHUFFLE || kind == BARRIER)
        instruction->index = code->memory_count++;
    return instruction;
}

Instruction *emit_opcode(Lowering *l, Opcode opcode, Operand result, const Operand *sources, int count)
{
    Instruction *instruction = emit(l, RUN_LANES);
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
    if (result.size != value.size)
        lower_refuse(l, "between registers of different sizes");
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

void keep_apart(Lowering *l)
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

void count_class(Lowering *l, OpClass op_class)
{
    BlockLine *line = current_block_line(l);
    current_block(l)->classes[op_class]++;
    line->classes[op_class]++;
    line->divisions += op_class == INTEGER && is_division(l->source->opcode);
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

static void note_line(Lowering *l)
{
    Code *code = l->code;
    code->lines = arena_grown(&code->arena, code->lines, (size_t)code->line_count, &l->line_capacity,
                              sizeof *code->lines);
    code->lines[code->line_count++] = (CodeLine){
        .ptx_line = l->source->ptx_line, .block = code->block_count - 1, .access = code->memory_count};
}

static void lower_instruction(Lowering *l)
{
    static const struct {
        const char *name;
        void (*lower)(Lowering *, const Parts *);
    } others[] = {
        {"mov", lower_mov},           {"cvt", lower_cvt},
        {"setp", lower_setp},         {"set", lower_set},
        {"ld", lower_load},           {"ldu", lower_load},
        {"st", lower_store},          {"atom", lower_atomic},
        {"red", lower_atomic},        {"cvta", lower_convert_address},
        {"isspacep", lower_is_space}, {"tex", lower_texture},
        {"tld4", lower_gather},
    };
    if (l->source->refusal != NULL)
        lower_refuse(l, l->source->refusal);
    Parts parts = parts_of(l, l->source->opcode);
    l->guard = no_operand;
    if (l->source->guard >= 0) {
        uint32_t number = l->instance->first_register + (uint32_t)l->source->guard;
        l->guard = (Operand){.slot = number, .size = 0};
    }
    l->guard_negated = l->source->guard_negated;
    note_line(l);
    if (lower_control(l, &parts) || lower_matrix(l, &parts))
        return;
    count_instruction(l);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(parts.part[0], others[i].name) == 0 && !parts_have(&parts, "pack")) {
            others[i].lower(l, &parts);
            return;
        }
    if (strcmp(parts.part[0], "mbarrier") == 0)
        lower_mbarrier(l, &parts);
    else if (has_carry(&parts))
        lower_carry(l, &parts);
    else
        lower_arithmetic(l, &parts);
}

static void mark_targets(Lowering *l, Instance *instance)
{
    const PtxFunction *function = instance->function;
    instance->block_of = arena_array(l->arena, (size_t)function->instruction_count + 1, sizeof *instance->block_of);
    for (int i = 0; i <= function->instruction_count; i++)
        instance->block_of[i] = -1;
    for (int i = 0; i < function->instruction_count; i++)
        for (int j = 0; j < function->instructions[i].operand_count; j++) {
            const PtxLabel *label = function->instructions[i].operands[j].label;
            if (label == NULL)
                continue;
            instance->block_of[label->instruction] = 0;
            for (int k = 0; k < label->target_count; k++)
                if (label->targets[k].label != NULL)
                    instance->block_of[label->targets[k].label->instruction] = 0;
        }
}

void lower_function(Lowering *l, Instance *instance)
{
    const PtxFunction *function = instance->function;
    instance->first_register = l->register_count;
    for (int i = 0; i < function->register_count; i++) {
        uint32_t bytes = ptx_type_bytes(function->register_types[i]);
        new_virtual(l, function->register_types[i] == PTX_PRED ? 0 : bytes == 1 ? 1 : logarithm(bytes));
    }
    for (const PtxVariable *variable = function->variables; variable != NULL; variable = variable->next)
        if (variable->space == PTX_LOCAL || variable->space == PTX_PARAM)
            place_in_frame(l, instance, variable);
    mark_targets(l, instance);
    instance->provenance = provenance_of_registers(function, l->arena);
    Instance *outer = l->instance;
    l->instance = instance;
    int first_block = new_block(l);
    for (int i = 0; i < function->instruction_count; i++) {
        l->source = &function->instructions[i];
        if (instance->block_of[i] >= 0)
            instance->block_of[i] = new_block(l);
        lower_instruction(l);
    }
    if (instance->block_of[function->instruction_count] >= 0)
        instance->block_of[function->instruction_count] = new_block(l);
    bind_branches(l, instance, first_block);
    l->instance = outer;
}

/* False where all of them had been noted already. */
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
        const Block *block = &code->blocks[i];
        const Operand ends[] = {block->guard, block->index, block->threads, block->source};
        for (size_t j = 0; j < sizeof ends / sizeof *ends; j++)
            if (ends[j].slot != NO_SLOT)
                is_needed[ends[j].slot] = 1;
    }
}

/* nvcc writes atom for atomicAdd() whether the old value is used or not. A value is needed where something is done with
 * it but to compute what is not needed. */
static void mark_used_results(Lowering *l)
{
    Code *code = l->code;
    uint8_t *is_needed = arena_array(l->arena, (size_t)l->register_count + 1, sizeof *is_needed);
    note_ends(code, is_needed);
    for (bool going_on = true; going_on;) {
        going_on = false;
        for (int i = code->instruction_count; i-- > 0;) {
            const Instruction *instruction = &code->instructions[i];
            if (instruction->kind != RUN_LANES || is_needed[instruction->results[0].slot])
                going_on |= note_sources(instruction, is_needed);
        }
    }
    for (int i = 0; i < code->instruction_count; i++) {
        Operand result = code->instructions[i].results[0];
        if (code->instructions[i].kind == ATOMIC && result.slot != NO_SLOT)
            code->instructions[i].uses_result = is_needed[result.slot];
    }
}

/* False where the kernel was refused; `why` then says so. */
static bool lower_kernel(Lowering *l, const PtxFunction *function)
{
    if (setjmp(l->give_up) != 0)
        return false;
    place_shared(l, function);
    lower_function(l, &(Instance){.function = function});
    Block *last = current_block(l);
    if (last->ends == END_FALL)
        last->ends = END_EXIT;
    mark_used_results(l);
    find_targets(l);
    assign_slots(l);
    return true;
}

Status code_lower(const PtxModule *module, const PtxFunction *function, Code *code, Message *why)
{
    Arena scratch = {0};
    Lowering l = {
        .module = module, .code = code, .arena = &scratch, .why = why, .guard = no_operand, .carry = no_operand};
    *code = (Code){0};
    bool done = lower_kernel(&l, function);
    arena_free(&scratch);
    if (!done)
        code_free(code);
    return done ? STATUS_OK : STATUS_UNSUPPORTED;
}

void code_free(Code *code)
{
    arena_free(&code->arena);
    *code = (Code){0};
}
