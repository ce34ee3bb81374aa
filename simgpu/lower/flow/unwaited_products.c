/* The state of a register is 0 where it is no sum that must be waited for, or else 1 + the groups that have been committed
 * since. Where paths meet, a register must be waited for if it must on each of them.  */
#include "simgpu/lower/flow/unwaited_products.h"

#include "simgpu/code/matrix_fragment.h"
#include "simgpu/lower/flow/product_flow.h"

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

static void follow(ProductFlow *flow, const Instruction *instruction)
{
    const Matrix *matrix = instruction->matrix;
    const uint8_t moved = product_flow_is_move(instruction) ? product_flow_state(flow, instruction->sources[0]) : 0;
    if (instruction->kind == PRODUCT_COMMIT)
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

static uint8_t meet(uint8_t a, uint8_t b)
{
    return a == 0 || b == 0 ? 0 : a > b ? a : b;
}

void mark_unwaited_products(Lowering *l)
{
    const ProductRules rules = {.is_undefined = takes_sum, .follow = follow, .meet = meet};
    product_flow_mark(l, &rules, CHECK_WAITED);
}
