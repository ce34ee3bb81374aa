/* The state of a register is 0 where it is no sum that must be waited for, or else 1 + the groups that have been committed
 * since. Where paths meet, a register must be waited for if it must on each of them.  */

#include "simgpu/code/instruction.h"
#include "simgpu/code/lanes.h"
#include "simgpu/code/matrix_fragment.h"
#include "simgpu/lower/emit.h"
#include "simgpu/lower/lowering.h"

#include <string.h>

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

/* ==== product flow ================================================================================================ */

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
static uint8_t both(uint8_t a, uint8_t b)
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
        state = both(state, product_flow_state(flow, instruction->sources[i]));
    for (int i = first; i < end; i++)
        state = both(state, product_flow_state(flow, instruction->matrix->operands[i]));
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

static void follow(ProductFlow *flow, const Instruction *instruction)
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
    const ProductRules rules = {.is_undefined = is_unfenced, .follow = follow, .call = fence, .meet = meet};
    product_flow_mark(l, &rules, CHECK_FENCED);
}
