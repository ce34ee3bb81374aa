/* Passes over the finished code that follow the values of registers along its paths: sums of wgmma that are read too early,
 * the parameters from which addresses are made, registers that are read before they are set, results that nothing uses,
 * operations that no compiler can leave out.  */

#include "simgpu/code/code.h"
#include "simgpu/code/instruction.h"
#include "simgpu/code/lanes.h"
#include "simgpu/code/liveness.h"
#include "simgpu/code/matrix_fragment.h"
#include "simgpu/lower/lowering.h"

#include <stdio.h>
#include <string.h>

/* ==== product flow ================================================================================================ */

/* The state of a register is 0 where it is no sum that must be waited for, or else 1 + the groups that have been committed
 * since. Where paths meet, a register must be waited for if it must on each of them. */

typedef struct ProductFlow {
    Code *code;
    uint32_t register_count;
    uint8_t *now;       /* [register_count + 1] */
    uint8_t *at_start;  /* [block][register_count + 1] */
    bool *is_reached;   /* [block] */
    bool *is_undefined; /* [instruction] */
} ProductFlow;

typedef struct ProductRules {
    bool (*is_undefined)(const ProductFlow *flow, const Instruction *instruction);
    void (*follow)(ProductFlow *flow, const Instruction *instruction); /* what is known after it */
    void (*call)(ProductFlow *flow);                                   /* after a call; NULL: it changes nothing */
    uint8_t (*meet)(uint8_t a, uint8_t b);                             /* where paths meet */
} ProductRules;

/* Follows what is known of each register along all paths of a kernel, to find instructions that wgmma, whose
 * registers are read and set at some time, leave undefined.
 *
 * What is known of a register is a number, whose meaning the rules give. The last number, of no register, is the rules' own.
 * All begin as 0. Procedures are not followed. */

/* A move that happens always. */
static bool product_flow_is_move(const Instruction *instruction)
{
    return instruction->kind == ALU && instruction->guard.slot == NO_SLOT &&
           strncmp(opcode_info((Opcode)instruction->opcode)->form, "mov.", 4) == 0;
}

/* What is known of an operand's register. */
static uint8_t product_flow_state(const ProductFlow *flow, Operand operand)
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
    Instruction *to = emit(l, (InstructionKind)ALU);
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

/* Puts a check of that kind in front of each instruction that is undefined. Registers are still virtual. */
static void product_flow_mark(Lowering *l, const ProductRules *rules, InstructionKind check)
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

/* ==== unwaited products =========================================================================================== */

enum { MOST_GROUPS = 100 }; /* that are told apart */

/* Moves, the sums of another wgmma and what the lowering itself emits for one are no uses. */
static bool takes_sum(const ProductFlow *flow, const Instruction *instruction)
{
    const Matrix *matrix = instruction->matrix;
    bool takes = false;
    if (product_flow_is_move(instruction) || instruction->is_hidden)
        return false;
    for (int i = 0; i < MAX_SOURCES; i++)
        takes |= product_flow_state(flow, instruction->sources[i]) != 0;
    if (matrix == NULL)
        return takes;
    const int end = matrix->d_count + matrix->a_count + matrix->b_count +
                    (matrix->is_of_warpgroup ? 0 : matrix->c_count);
    for (int i = matrix->d_count; i < end; i++)
        takes |= product_flow_state(flow, matrix->operands[i]) != 0;
    return takes;
}

static void count_group(ProductFlow *flow)
{
    for (uint32_t i = 0; i < flow->register_count; i++)
        flow->now[i] += flow->now[i] != 0 && flow->now[i] < MOST_GROUPS;
}

static void wait_for_all_but(ProductFlow *flow, uint32_t groups)
{
    for (uint32_t i = 0; i < flow->register_count; i++)
        if (flow->now[i] >= 2 + groups)
            flow->now[i] = 0;
}

static void unwaited_products_follow(ProductFlow *flow, const Instruction *instruction)
{
    const Matrix *matrix = instruction->matrix;
    const uint8_t moved = product_flow_is_move(instruction) ? product_flow_state(flow, instruction->sources[0]) : 0;
    if (instruction->kind == WGMMA_COMMIT)
        count_group(flow);
    if (instruction->kind == PRODUCT_WAIT)
        wait_for_all_but(flow, instruction->detail);
    for (int i = 0; i < MAX_RESULTS; i++)
        if (instruction->results[i].slot != NO_SLOT)
            flow->now[instruction->results[i].slot] = moved;
    for (int i = 0; matrix != NULL && i < matrix->d_count; i++)
        if (matrix->operands[i].slot != NO_SLOT)
            flow->now[matrix->operands[i].slot] = matrix->is_of_warpgroup;
}

static uint8_t unwaited_products_meet(uint8_t a, uint8_t b)
{
    return a == 0 || b == 0 ? 0 : a > b ? a : b;
}

void mark_unwaited_products(Lowering *l)
{
    const ProductRules rules = {
        .is_undefined = takes_sum, .follow = unwaited_products_follow, .meet = unwaited_products_meet};
    product_flow_mark(l, &rules, CHECK_WAITED);
}

/* ==== unfenced products =========================================================================================== */

/* The number of the rules' own is 1 once a path has executed a wgmma.fence.  */

/* State of a register. Where paths meet, the larger state holds. */
enum {
    PLAIN,   /* it may have been set at any time since the kernel began */
    SUM,     /* a wgmma has set it */
    WRITTEN, /* after the last fence, or computed from what was */
    FENCED   /* before the last fence */
};

static bool is_product(const Instruction *instruction)
{
    return instruction->matrix != NULL && instruction->matrix->is_of_warpgroup;
}

static bool is_unfenced(const ProductFlow *flow, const Instruction *instruction)
{
    const Matrix *matrix = instruction->matrix;
    if (!is_product(instruction))
        return false;
    const int a = matrix->d_count, c = a + matrix->a_count + matrix->b_count;
    bool is_written = flow->now[flow->register_count] == 0;
    for (int i = 0; i < matrix->a_count; i++) {
        const uint8_t state = product_flow_state(flow, matrix->operands[a + i]);
        is_written |= state == SUM || state == WRITTEN;
    }
    for (int i = 0; i < matrix->c_count; i++)
        is_written |= product_flow_state(flow, matrix->operands[c + i]) == WRITTEN;
    return is_written;
}

/* State of a value computed from two others. */
static uint8_t state_max(uint8_t a, uint8_t b)
{
    if (a == SUM || a == WRITTEN || b == SUM || b == WRITTEN)
        return WRITTEN;
    return a > b ? a : b;
}

static uint8_t computed(const ProductFlow *flow, const Instruction *instruction)
{
    const int first = instruction->matrix == NULL ? 0 : instruction->matrix->d_count;
    const int end = matrix_operand_count(instruction->matrix);
    uint8_t state = PLAIN;
    for (int i = 0; i < MAX_SOURCES; i++)
        state = state_max(state, product_flow_state(flow, instruction->sources[i]));
    for (int i = first; i < end; i++)
        state = state_max(state, product_flow_state(flow, instruction->matrix->operands[i]));
    return state;
}

static uint8_t state_after(const ProductFlow *flow, const Instruction *instruction)
{
    const ValueSource from = instruction_facts(instruction).value;
    /* hidden: the choice of sums by scale-d */
    if (from == VALUE_MOVED && (product_flow_is_move(instruction) || instruction->is_hidden))
        return product_flow_state(flow, instruction->sources[0]);
    switch (from) {
    case VALUE_PLAIN: return PLAIN;
    case VALUE_WRITTEN: return WRITTEN;
    case VALUE_COMPUTED:
    case VALUE_MOVED: return computed(flow, instruction);
    case VALUE_SUM: return SUM;
    }
    return PLAIN;
}

static uint8_t meet(uint8_t a, uint8_t b)
{
    return a > b ? a : b;
}

static void set(ProductFlow *flow, const Instruction *instruction, Operand result, uint8_t state)
{
    if (result.slot == NO_SLOT)
        return;
    uint8_t *at = &flow->now[result.slot];
    *at = instruction->guard.slot == NO_SLOT ? state : meet(*at, state);
}

static void fence(ProductFlow *flow)
{
    for (uint32_t i = 0; i < flow->register_count; i++)
        if (flow->now[i] != PLAIN)
            flow->now[i] = FENCED;
    flow->now[flow->register_count] = 1;
}

static void follow_product(ProductFlow *flow, const Instruction *instruction)
{
    const Matrix *matrix = instruction->matrix;
    const uint8_t state = state_after(flow, instruction);
    if (instruction->kind == PRODUCT_FENCE)
        fence(flow);
    for (int i = 0; i < MAX_RESULTS; i++)
        set(flow, instruction, instruction->results[i], state);
    for (int i = 0; matrix != NULL && i < matrix->d_count; i++)
        set(flow, instruction, matrix->operands[i], state);
}

/* A function that is called may execute a fence. */
void mark_unfenced_products(Lowering *l)
{
    const ProductRules rules = {.is_undefined = is_unfenced, .follow = follow_product, .call = fence, .meet = meet};
    product_flow_mark(l, &rules, CHECK_FENCED);
}

/* ==== from what an address is made ================================================================================ */

static uint64_t of_parameter(int64_t offset)
{
    bool is_followed = offset % 8 == 0 && offset / 8 < 63;
    return is_followed ? 1ull << offset / 8 : UNKNOWN_TARGET;
}

static Origin origin_union(Origin a, Origin b)
{
    bool differ = a.constant != 0 && b.constant != 0 && a.constant != b.constant;
    return (Origin){.parameters = a.parameters | b.parameters,
                    .constant = differ ? UINT64_MAX : a.constant | b.constant};
}

static Origin of_sources(const Instruction *instruction, const Origin *origins)
{
    Origin all = {0};
    for (int i = 0; i < MAX_SOURCES; i++)
        if (instruction->sources[i].slot != NO_SLOT)
            all = origin_union(all, origins[instruction->sources[i].slot]);
    return all;
}

static Origin of_results(const Instruction *instruction, const Origin *origins)
{
    const bool is_wide = instruction->size == 3;
    switch (instruction_facts(instruction).address) {
    case ADDRESS_OF_SOURCES: return of_sources(instruction, origins);
    case ADDRESS_IN_PARAMETER: return (Origin){.parameters = is_wide ? of_parameter(instruction->offset) : 0};
    case ADDRESS_IN_MEMORY: return (Origin){.parameters = is_wide ? UNKNOWN_TARGET : 0};
    case ADDRESS_IN_HEAP: return (Origin){.parameters = UNKNOWN_TARGET};
    case ADDRESS_OF_NOTHING: return (Origin){0};
    }
    return (Origin){.parameters = UNKNOWN_TARGET};
}

/* Adds the origins of the sources to those of the results; true where that changes anything. */
static bool follow_address(const Instruction *instruction, Origin *origins)
{
    Origin from = of_results(instruction, origins);
    bool has_changed = false;
    for (int i = 0; i < MAX_RESULTS; i++) {
        uint32_t number = instruction->results[i].slot;
        if (number == NO_SLOT)
            continue;
        Origin old = origins[number];
        origins[number] = origin_union(old, from);
        has_changed |= origins[number].parameters != old.parameters || origins[number].constant != old.constant;
    }
    return has_changed;
}

static bool may_change_global(const Instruction *instruction)
{
    if (instruction->kind == BULK_COPY)
        return instruction->detail == BULK_STORE;
    return (instruction->kind == STORE || instruction->kind == ATOMIC) &&
           (instruction->space == PTX_GLOBAL || instruction->space == PTX_NO_SPACE);
}

/* Could a constant be the address of a module variable? */
static bool may_be_address(const SpecialRegister *special)
{
    return special->kind == SPECIAL_CONSTANT && special->value >= WINDOWS_END && special->value >> 48 == 0;
}

static bool is_module_access(const Instruction *instruction)
{
    return (instruction->kind == LOAD || instruction->kind == STORE || instruction->kind == ATOMIC) &&
           (instruction->space == PTX_GLOBAL || instruction->space == PTX_CONST || instruction->space == PTX_NO_SPACE);
}

void find_targets(Lowering *l)
{
    Code *code = l->code;
    Origin *origins = arena_array(l->arena, (size_t)l->register_count + 1, sizeof *origins);
    for (int i = 0; i < code->special_register_count; i++)
        if (may_be_address(&code->special_registers[i]))
            origins[code->special_registers[i].operand.slot] = (Origin){.parameters = UNKNOWN_TARGET,
                                                                        .constant = code->special_registers[i].value};
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (int i = 0; i < code->instruction_count; i++)
            has_changed |= follow_address(&code->instructions[i], origins);
    }
    for (int i = 0; i < code->instruction_count; i++) {
        Instruction *instruction = &code->instructions[i];
        Operand address = instruction->sources[0];
        if (instruction->kind == BULK_COPY && may_change_global(instruction)) /* a tensor map may lead anywhere */
            code->targets |= instruction->dimensions == 0 && address.slot != NO_SLOT &&
                                     origins[address.slot].parameters != 0
                                 ? origins[address.slot].parameters
                                 : UNKNOWN_TARGET;
        if (!is_module_access(instruction))
            continue;
        if (address.slot != NO_SLOT)
            instruction->origin = origins[address.slot];
        if (may_change_global(instruction))
            code->targets |= instruction->origin.parameters != 0 ? instruction->origin.parameters : UNKNOWN_TARGET;
    }
}

/* ==== unset registers ============================================================================================= */

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
static uint8_t *needed_registers(const Lowering *l)
{
    const Code *code = l->code;
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
    return is_needed;
}

void mark_used_results(Lowering *l)
{
    Code *code = l->code;
    const uint8_t *is_needed = needed_registers(l);
    for (int i = 0; i < code->instruction_count; i++) {
        Operand result = code->instructions[i].results[0];
        if (code->instructions[i].kind == ATOMIC && result.slot != NO_SLOT)
            code->instructions[i].uses_result = is_needed[result.slot];
    }
}

/* ==== certain work ================================================================================================ */

/* What is known of each virtual register on any path. */
typedef struct Values {
    uint8_t *is_data;     /* it is computed from what was loaded */
    uint8_t *is_kept;     /* a value that leaves the registers is computed from it */
    uint8_t *is_constant; /* or another special register */
    uint8_t *is_needed;   /* by anything but lane operations that lead nowhere */
} Values;

/* Loads and shuffles: their results are known to nobody before the kernel runs. Compilers keep local arrays in registers. */
static bool brings_data(const Instruction *instruction)
{
    return instruction->index >= 0 && !instruction->is_hidden && instruction->space != PTX_PARAM &&
           instruction->space != PTX_LOCAL;
}

static bool add_to(uint8_t *set, Operand operand)
{
    if (operand.slot == NO_SLOT || operand.size == 0 || set[operand.slot])
        return false;
    set[operand.slot] = 1;
    return true;
}

static bool has_data(const Instruction *instruction, const uint8_t *is_data)
{
    bool found = false;
    for (int i = 0; i < MAX_SOURCES; i++)
        found |= instruction->sources[i].slot != NO_SLOT && is_data[instruction->sources[i].slot];
    return found;
}

/* True where that changes anything. */
static bool follow_data(const Instruction *instruction, uint8_t *is_data)
{
    bool has_changed = false;
    const bool is_data_here = instruction->kind == ALU ? has_data(instruction, is_data) : brings_data(instruction);
    for (int i = 0; i < MAX_RESULTS && is_data_here; i++)
        has_changed |= add_to(is_data, instruction->results[i]);
    return has_changed;
}

/* The first source that is a value which leaves the registers here; MAX_SOURCES: there is none. */
static int first_value(const Instruction *instruction, const uint8_t *is_kept)
{
    switch ((InstructionKind)instruction->kind) {
    case ALU: return is_kept[instruction->results[0].slot] ? 0 : MAX_SOURCES;
    case SHUFFLE: return 0;
    case STORE:
    case ATOMIC:
    case STORE_MATRIX: return brings_data(instruction) ? 1 : MAX_SOURCES; /* behind the address */
    default: return MAX_SOURCES;
    }
}

static bool follow_kept(const Instruction *instruction, uint8_t *is_kept)
{
    bool has_changed = false;
    for (int i = first_value(instruction, is_kept); i < MAX_SOURCES; i++)
        has_changed |= add_to(is_kept, instruction->sources[i]);
    for (int i = matrix_operand_count(instruction->matrix); i-- > 0;)
        has_changed |= add_to(is_kept, instruction->matrix->operands[i]);
    return has_changed;
}

static void follow_values(const Code *code, const Values *values)
{
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (int i = 0; i < code->instruction_count; i++)
            has_changed |= follow_data(&code->instructions[i], values->is_data);
        for (int i = code->instruction_count; i-- > 0;)
            has_changed |= follow_kept(&code->instructions[i], values->is_kept);
    }
}

/* Forms with "+" are parts of instructions of PTX. */
static bool may_join_another(const char *form)
{
    static const char *const forms[] = {"+", "mov.", "neg.", "abs.", "not.", "cnot."};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strncmp(form, forms[i], strlen(forms[i])) == 0)
            return true;
    return false;
}

static CertainKind kind_of_operation(const OpcodeInfo *info)
{
    static const char *const sums[] = {"add.", "sub.", "mul.", "div."};
    if (info->op_class == SPECIAL)
        return CERTAIN_SPECIAL;
    for (size_t i = 0; i < sizeof sums / sizeof *sums && info->op_class == FP32; i++)
        if (info->source_is_float[0] && strncmp(info->form, sums[i], strlen(sums[i])) == 0)
            return CERTAIN_FLOAT;
    return CERTAIN_OTHER;
}

/* CERTAIN_KINDS: none. Multiply-adds are counted by their class. */
static CertainKind kind_of_operands(const Instruction *instruction, const Values *values)
{
    const OpcodeInfo *info = opcode_info((Opcode)instruction->opcode);
    bool has_constant = false;
    for (int i = 0; i < MAX_SOURCES; i++)
        has_constant |= instruction->sources[i].slot != NO_SLOT && values->is_constant[instruction->sources[i].slot];
    return info->op_class == FMA32 || info->op_class == FMA64 || has_constant || may_join_another(info->form) ||
                   !values->is_kept[instruction->results[0].slot] || !has_data(instruction, values->is_data)
               ? CERTAIN_KINDS
               : kind_of_operation(info);
}

static bool is_loaded_for_nothing(const Instruction *load, const uint8_t *is_needed)
{
    bool is_used = load->is_strong;
    for (int i = 0; i < MAX_RESULTS; i++)
        is_used |= load->results[i].slot != NO_SLOT && is_needed[load->results[i].slot];
    return !is_used;
}

static CertainKind certain_kind(const Instruction *instruction, const Values *values)
{
    const PtxSpace space = (PtxSpace)instruction->space;
    const bool is_global = space == PTX_GLOBAL || space == PTX_NO_SPACE;
    if (instruction->guard.slot != NO_SLOT || instruction->is_hidden)
        return CERTAIN_KINDS;
    switch ((InstructionKind)instruction->kind) {
    case ALU: return kind_of_operands(instruction, values);
    case LOAD:
        if (is_loaded_for_nothing(instruction, values->is_needed))
            return CERTAIN_KINDS;
        return space == PTX_SHARED ? CERTAIN_OTHER : is_global ? CERTAIN_ACCESS : CERTAIN_KINDS;
    case STORE: return space == PTX_SHARED || is_global ? CERTAIN_ACCESS : CERTAIN_KINDS;
    case ATOMIC: return CERTAIN_ACCESS;
    default: return CERTAIN_KINDS;
    }
}

void count_certain_work(Lowering *l)
{
    const Code *code = l->code;
    const size_t count = (size_t)l->register_count + 1;
    const Values values = {.is_data = arena_array(l->arena, count, 1),
                           .is_kept = arena_array(l->arena, count, 1),
                           .is_constant = arena_array(l->arena, count, 1),
                           .is_needed = needed_registers(l)};
    for (int i = 0; i < code->special_register_count; i++)
        values.is_constant[code->special_registers[i].operand.slot] = 1;
    follow_values(code, &values);
    for (int number = 0; number < code->block_count; number++) {
        BasicBlock *block = &code->blocks[number];
        for (int i = block->first; i < block->end; i++) {
            const CertainKind kind = certain_kind(&code->instructions[i], &values);
            if (kind < CERTAIN_KINDS)
                block->certain[kind]++;
        }
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
