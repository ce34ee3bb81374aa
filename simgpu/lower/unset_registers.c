
#include "simgpu/code/lanes.h"
#include "simgpu/code/liveness.h"
#include "simgpu/code/matrix_fragment.h"
#include "simgpu/lower/emit.h"
#include "simgpu/lower/lowering.h"

#include <string.h>

typedef struct Marking {
    Lowering *l;
    Code *code;
    uint32_t register_count; /* before there were marks */
    size_t words;
    uint64_t *may_be_unset; /* [block][words] where the block begins */
    uint64_t *is_unset;     /* [words] registers that are not assigned on some path to a use */
    bool *is_marked;        /* [register] it is unset, or computed from one that is */
    uint32_t *mark_of;      /* [register] */
    uint32_t *bit_of;       /* [register] what the mark holds at the kernel's entry; 0: not known yet */
    uint32_t *bit_of_nan;   /* [instruction] what the mark of its result holds because of a constant NaN; 0: nothing */
    Instruction *old;       /* [old_count] the instructions before there were marks */
    int old_count;
} Marking;

static void set_remove(uint64_t *set, uint32_t number)
{
    set[number / 64] &= ~(1ull << (number % 64));
}

static bool is_empty(const uint64_t *set, size_t words)
{
    for (size_t w = 0; w < words; w++)
        if (set[w] != 0)
            return false;
    return true;
}

/* ---- where registers may be unset -------------------------------------------------------------------------------- */

/* The lanes in which the guard does not hold keep the old value. */
static void assign_results(const Instruction *instruction, uint64_t *unset)
{
    if (instruction->guard.slot != NO_SLOT)
        return;
    for (int i = 0; i < MAX_RESULTS; i++)
        if (instruction->results[i].slot != NO_SLOT)
            set_remove(unset, instruction->results[i].slot);
    for (int i = 0; instruction->matrix != NULL && i < instruction->matrix->d_count; i++)
        if (instruction->matrix->operands[i].slot != NO_SLOT)
            set_remove(unset, instruction->matrix->operands[i].slot);
}

/* Adds what is unset at the end of a block to what is unset where its successors begin; true where that changes. */
static bool pass_on(Marking *m, int number, uint64_t *unset)
{
    const BasicBlock *block = &m->code->blocks[number];
    bool has_changed = false;
    memcpy(unset, m->may_be_unset + (size_t)number * m->words, m->words * sizeof *unset);
    for (int i = block->first; i < block->end; i++)
        assign_results(&m->code->instructions[i], unset);
    if (block->result.slot != NO_SLOT && block->guard.slot == NO_SLOT)
        set_remove(unset, block->result.slot);
    for (int i = 0, next; (next = code_successor(m->code, number, i)) != -2; i++)
        for (size_t w = 0; next >= 0 && w < m->words; w++) {
            uint64_t *at = &m->may_be_unset[(size_t)next * m->words + w];
            has_changed |= (*at | unset[w]) != *at;
            *at |= unset[w];
        }
    return has_changed;
}

/* False where no register is unset. What is alive at the kernel's entry is read on a path that does not assign it. */
static bool find_unset(Marking *m)
{
    Liveness live;
    size_t blocks = (size_t)m->code->block_count;
    if (!liveness_find(m->code, m->register_count, m->l->arena, &live))
        return false;
    m->words = live.words;
    m->is_unset = arena_array(m->l->arena, m->words, sizeof *m->is_unset);
    m->may_be_unset = arena_array(m->l->arena, m->words * blocks, sizeof *m->may_be_unset);
    memcpy(m->is_unset, liveness_in(&live, 0), m->words * sizeof *m->is_unset);
    for (int i = 0; i < m->code->special_register_count; i++)
        set_remove(m->is_unset, m->code->special_registers[i].operand.slot);
    if (is_empty(m->is_unset, m->words))
        return false;
    memcpy(m->may_be_unset, m->is_unset, m->words * sizeof *m->is_unset);
    uint64_t *unset = arena_array(m->l->arena, m->words, sizeof *unset);
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (int number = 0; number < m->code->block_count; number++)
            has_changed |= pass_on(m, number, unset);
    }
    return true;
}

/* ---- first uses -------------------------------------------------------------------------------------------------- */

/* Gives a new place its bit. All places beyond the last bit share it. */
static uint32_t new_bit(Marking *m, int32_t file, int32_t line)
{
    Code *code = m->code;
    if (code->unset_count == MAX_UNSET)
        return 1u << (MAX_UNSET - 1);
    code->unset[code->unset_count] = (SourcePlace){.file = file, .line = line};
    return 1u << code->unset_count++;
}

static void note_use(Marking *m, const uint64_t *unset, Operand operand, int32_t file, int32_t line)
{
    bool is_known = operand.slot == NO_SLOT || m->bit_of[operand.slot] != 0;
    if (!is_known && set_has(unset, operand.slot))
        m->bit_of[operand.slot] = new_bit(m, file, line);
}

static bool is_nan(const Marking *m, Operand operand)
{
    for (int i = 0; i < m->code->special_register_count; i++) {
        const SpecialRegister *special = &m->code->special_registers[i];
        if (special->operand.slot == operand.slot && special->kind == SPECIAL_CONSTANT)
            return special->value == (operand.size == 3 ? 0x7FF8000000000000 : 0x7FC00000);
    }
    return false;
}

static bool is_float_arithmetic(const Instruction *instruction)
{
    if (instruction->kind != ALU)
        return false;
    const OpcodeInfo *info = opcode_info((Opcode)instruction->opcode);
    return info->op_class == FMA32 || info->op_class == FMA64 ||
           ((info->op_class == FP32 || info->op_class == FP64) &&
            (strncmp(info->form, "add.", 4) == 0 || strncmp(info->form, "sub.", 4) == 0 ||
             strncmp(info->form, "mul.", 4) == 0));
}

static bool takes_nan(const Marking *m, const Instruction *instruction)
{
    for (int i = 0; is_float_arithmetic(instruction) && i < MAX_SOURCES; i++)
        if (instruction->sources[i].slot != NO_SLOT && instruction->sources[i].size >= 2 &&
            is_nan(m, instruction->sources[i]))
            return true;
    return false;
}

static bool is_move(const Instruction *instruction)
{
    return instruction->kind == ALU &&
           strncmp(opcode_info((Opcode)instruction->opcode)->form, "mov.", strlen("mov.")) == 0;
}

/* Finds where each unset register is used first. A move is no use that the source shows; it is taken where there is no
 * other. */
static void find_uses(Marking *m, bool takes_moves)
{
    uint64_t *unset = arena_array(m->l->arena, m->words, sizeof *unset);
    for (int number = 0; number < m->code->block_count; number++) {
        const BasicBlock *block = &m->code->blocks[number];
        memcpy(unset, m->may_be_unset + (size_t)number * m->words, m->words * sizeof *unset);
        for (int i = block->first; i < block->end; i++) {
            const Instruction *instruction = &m->code->instructions[i];
            for (int j = 0; j < MAX_SOURCES && (takes_moves || !is_move(instruction)); j++)
                note_use(m, unset, instruction->sources[j], instruction->file, instruction->line);
            note_use(m, unset, instruction->guard, instruction->file, instruction->line);
            for (int j = instruction->matrix == NULL ? 0 : instruction->matrix->d_count;
                 j < matrix_operand_count(instruction->matrix); j++)
                note_use(m, unset, instruction->matrix->operands[j], instruction->file, instruction->line);
            assign_results(instruction, unset);
        }
        note_use(m, unset, block->guard, block->file, block->line);
        note_use(m, unset, block->index, block->file, block->line);
        note_use(m, unset, block->source, block->file, block->line);
    }
}

static bool find_nans(Marking *m)
{
    bool any = false;
    m->bit_of_nan = arena_array(m->l->arena, (size_t)m->code->instruction_count + 1, sizeof *m->bit_of_nan);
    for (int i = 0; i < m->code->instruction_count; i++) {
        const Instruction *instruction = &m->code->instructions[i];
        if (!takes_nan(m, instruction))
            continue;
        m->bit_of_nan[i] = new_bit(m, instruction->file, instruction->line);
        any = true;
    }
    return any;
}

/* ---- which registers get marks ----------------------------------------------------------------------------------- */

static bool is_marked(const Marking *m, Operand operand)
{
    return operand.slot != NO_SLOT && operand.slot < m->register_count && m->is_marked[operand.slot];
}

static bool computes_from_marked(const Marking *m, const Instruction *instruction)
{
    if (instruction->kind != ALU)
        return false;
    bool any = is_marked(m, instruction->guard);
    for (int i = 0; i < MAX_SOURCES; i++)
        any |= is_marked(m, instruction->sources[i]);
    return any;
}

static void find_marked(Marking *m)
{
    for (uint32_t i = 0; m->is_unset != NULL && i < m->register_count; i++)
        m->is_marked[i] = set_has(m->is_unset, i) && m->bit_of[i] != 0;
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (int i = 0; i < m->code->instruction_count; i++) {
            const Instruction *instruction = &m->code->instructions[i];
            if ((m->bit_of_nan[i] == 0 && !computes_from_marked(m, instruction)) ||
                m->is_marked[instruction->results[0].slot])
                continue;
            m->is_marked[instruction->results[0].slot] = has_changed = true;
        }
    }
    for (uint32_t i = 0; i < m->register_count; i++)
        m->mark_of[i] = m->is_marked[i] ? new_virtual(m->l, 2) : NO_SLOT;
}

/* ---- computing marks --------------------------------------------------------------------------------------------- */

static Operand mark(const Marking *m, Operand operand)
{
    return (Operand){.slot = m->mark_of[operand.slot], .size = 2};
}

static Operand mark_or_zero(Marking *m, Operand operand)
{
    return is_marked(m, operand) ? mark(m, operand) : constant(m->l, 0, 4);
}

/* Lets the next instructions stand at the place of another one. */
static void place_at(Instruction *instruction, int32_t file, int32_t line, int32_t ptx_line)
{
    instruction->file = file;
    instruction->line = line;
    instruction->ptx_line = ptx_line;
}

static bool begins_with(const Instruction *instruction, const char *form)
{
    return strncmp(opcode_info((Opcode)instruction->opcode)->form, form, strlen(form)) == 0;
}

static void emit_or(Marking *m, Operand result, Operand a, Operand b)
{
    emit_form(m->l, "or.b32", result, a, b, no_operand);
}

/* The mark of `and` and `or` of predicates, one of which is known to be set: it may decide alone. */
static void mark_of_logic(Marking *m, const Instruction *instruction, Operand result)
{
    Operand zero = constant(m->l, 0, 4);
    const Operand *s = instruction->sources;
    Operand set = is_marked(m, s[0]) ? s[1] : s[0], unset = mark(m, is_marked(m, s[0]) ? s[0] : s[1]);
    bool is_and = begins_with(instruction, "and.");
    emit_form(m->l, "selp.b32", result, is_and ? unset : zero, is_and ? zero : unset, set);
}

static bool is_logic_with_one_mark(const Marking *m, const Instruction *instruction)
{
    return (begins_with(instruction, "and.pred") || begins_with(instruction, "or.pred")) &&
           is_marked(m, instruction->sources[0]) != is_marked(m, instruction->sources[1]);
}

/* The mark of any other result: all marks of the sources together. */
static void mark_of_sources(Marking *m, const Instruction *instruction, uint32_t bits, Operand result)
{
    Operand sum = bits != 0 ? constant(m->l, bits, 4) : no_operand;
    for (int i = 0; i < MAX_SOURCES; i++) {
        if (!is_marked(m, instruction->sources[i]) || mark(m, instruction->sources[i]).slot == sum.slot)
            continue;
        Operand one = mark(m, instruction->sources[i]), both = sum;
        if (sum.slot != NO_SLOT)
            emit_or(m, both = temporary(m->l, 4), sum, one);
        sum = sum.slot == NO_SLOT ? one : both;
    }
    if (sum.slot == NO_SLOT)
        sum = constant(m->l, 0, 4);
    if (sum.slot != result.slot)
        emit_move(m->l, result, sum);
}

static void emit_marks_of(Marking *m, const Instruction *instruction, uint32_t nan_bit)
{
    Operand result = instruction->results[0], to = mark(m, result);
    const Operand *s = instruction->sources;
    if (begins_with(instruction, "selp.")) {
        emit_form(m->l, "selp.b32", to, mark_or_zero(m, s[0]), mark_or_zero(m, s[1]), s[2]);
        if (is_marked(m, s[2]))
            emit_or(m, to, to, mark(m, s[2]));
    } else if (is_logic_with_one_mark(m, instruction)) {
        mark_of_logic(m, instruction, to);
    } else {
        mark_of_sources(m, instruction, nan_bit, to);
    }
    if (is_marked(m, instruction->guard)) {
        m->l->guard = no_operand;
        emit_or(m, to, to, mark(m, instruction->guard));
    }
}

/* ---- checks and the new code ------------------------------------------------------------------------------------- */

typedef struct RegisterCheck {
    Operand marks[MAX_SOURCES + 1 + 4 * MATRIX_REGISTERS];
    int count;
} RegisterCheck;

static void add_to_check(const Marking *m, RegisterCheck *check, Operand operand)
{
    if (is_marked(m, operand))
        check->marks[check->count++] = mark(m, operand);
}

static void emit_check(Marking *m, const RegisterCheck *check)
{
    for (int i = 0; i < check->count; i += MAX_SOURCES) {
        Instruction *instruction = emit(m->l, CHECK_SET);
        for (int j = 0; j < MAX_SOURCES && i + j < check->count; j++)
            instruction->sources[j] = check->marks[i + j];
    }
}

/* What goes before an instruction: marks are computed from the values that it reads, before it may overwrite them. */
static void emit_before(Marking *m, int index)
{
    const Instruction *instruction = &m->old[index];
    RegisterCheck check = {0};
    m->l->guard = instruction->guard;
    m->l->guard_negated = instruction->guard_negated;
    if (instruction->kind == ALU) {
        if (is_marked(m, instruction->results[0]))
            emit_marks_of(m, instruction, m->bit_of_nan[index]);
        return;
    }
    for (int i = 0; i < MAX_SOURCES && instruction->kind != SLOW_PATH; i++)
        add_to_check(m, &check, instruction->sources[i]);
    for (int i = instruction->matrix == NULL ? 0 : instruction->matrix->d_count;
         i < matrix_operand_count(instruction->matrix); i++)
        add_to_check(m, &check, instruction->matrix->operands[i]);
    emit_check(m, &check);
    for (int i = 0; i < MAX_RESULTS; i++)
        if (is_marked(m, instruction->results[i]))
            emit_move(m->l, mark(m, instruction->results[i]), constant(m->l, 0, 4));
    for (int i = 0; instruction->matrix != NULL && i < instruction->matrix->d_count; i++)
        if (is_marked(m, instruction->matrix->operands[i]))
            emit_move(m->l, mark(m, instruction->matrix->operands[i]), constant(m->l, 0, 4));
    check = (RegisterCheck){0};
    add_to_check(m, &check, instruction->guard);
    m->l->guard = no_operand;
    emit_check(m, &check);
}

static void emit_before_end(Marking *m, const BasicBlock *block)
{
    RegisterCheck check = {0};
    const Operand ends[] = {block->guard, block->index, block->threads, block->source};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        add_to_check(m, &check, ends[i]);
    m->l->guard = no_operand;
    emit_check(m, &check);
    if (is_marked(m, block->result))
        emit_move(m->l, mark(m, block->result), constant(m->l, 0, 4));
}

static void copy_instruction(Marking *m, const Instruction *instruction)
{
    Lowering *l = m->l;
    Code *code = m->code;
    code->instructions = arena_grown(&code->arena, code->instructions, (size_t)code->instruction_count,
                                     &l->instruction_capacity, sizeof *code->instructions);
    code->instructions[code->instruction_count++] = *instruction;
}

/* At the kernel's entry, registers that are unset hold what memory does that nothing has written. */
static void emit_entry(Marking *m)
{
    m->l->guard = no_operand;
    for (uint32_t i = 0; i < m->register_count; i++) {
        Operand to = {.slot = i, .size = m->l->register_sizes[i] & 0xF};
        if (!m->is_marked[i])
            continue;
        if (m->bit_of[i] != 0)
            emit_move(m->l, to, special_register(m->l, SPECIAL_UNWRITTEN, 0, 0, bytes_of(to)));
        emit_move(m->l, mark(m, to), constant(m->l, m->bit_of[i], 4));
    }
}

/* A barrier stays the last instruction of its block (barrier.c). */
static void rebuild_block(Marking *m, BasicBlock *block)
{
    int first = block->first, end = block->end, from = m->code->instruction_count;
    bool has_barrier = end > first && m->old[end - 1].kind == BARRIER;
    block->first = from;
    if (block == m->code->blocks)
        emit_entry(m);
    for (int i = first; i < end - has_barrier; i++) {
        int before = m->code->instruction_count;
        emit_before(m, i);
        for (int j = before; j < m->code->instruction_count; j++)
            place_at(&m->code->instructions[j], m->old[i].file, m->old[i].line, m->old[i].ptx_line);
        copy_instruction(m, &m->old[i]);
    }
    int before = m->code->instruction_count;
    emit_before_end(m, block);
    for (int j = before; j < m->code->instruction_count; j++)
        place_at(&m->code->instructions[j], block->file, block->line, 0);
    if (has_barrier)
        copy_instruction(m, &m->old[end - 1]);
    block->end = m->code->instruction_count;
}

static bool has_way_back_to_entry(const Code *code)
{
    for (int number = 0; number < code->block_count; number++)
        for (int i = 0, next; (next = code_successor(code, number, i)) != -2; i++)
            if (next == 0)
                return true;
    return false;
}

void mark_unset_registers(Lowering *l)
{
    Marking m = {.l = l, .code = l->code, .register_count = l->register_count};
    size_t count = (size_t)l->register_count + 1;
    l->first_mark = l->register_count;
    if (has_way_back_to_entry(l->code))
        return;
    m.bit_of = arena_array(l->arena, count, sizeof *m.bit_of);
    m.mark_of = arena_array(l->arena, count, sizeof *m.mark_of);
    m.is_marked = arena_array(l->arena, count, sizeof *m.is_marked);
    bool any = find_unset(&m);
    if (any) {
        find_uses(&m, false);
        find_uses(&m, true);
    }
    if (!find_nans(&m) && !any)
        return;
    find_marked(&m);
    m.old = l->code->instructions;
    m.old_count = l->code->instruction_count;
    l->code->instructions = NULL;
    l->code->instruction_count = 0;
    l->instruction_capacity = 0;
    for (int i = 0; i < l->code->block_count; i++)
        rebuild_block(&m, &l->code->blocks[i]);
    l->guard = no_operand;
}
