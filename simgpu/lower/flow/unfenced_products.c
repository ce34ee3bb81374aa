/* The number of the rules' own is 1 once a path has executed a wgmma.fence.  */
#include "simgpu/lower/flow/unfenced_products.h"

#include "simgpu/code/instruction.h"
#include "simgpu/code/matrix_fragment.h"
#include "simgpu/lower/flow/product_flow.h"

/* What is known of a register. Where paths meet, the larger one holds. */
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

/* Of what is computed from two values. */
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
