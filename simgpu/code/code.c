#include "simgpu/code/code.h"

#include "simgpu/code/lane_math.h"

#include <string.h>

void code_free(Code *code)
{
    arena_free(&code->arena);
    *code = (Code){0};
}

/* May lanes go on to the next basic block? */
static bool may_fall(const BasicBlock *block)
{
    switch ((BlockEnd)block->ends) {
    case END_FALL:
    case END_CALL: /* what the procedure does to registers is undone when it returns */
    case END_CLUSTER:
    case END_BARRIER: return true;
    case END_BRANCH:
    case END_EXIT:
    case END_RETURN:
    case END_TRAP: return block->guard.slot != NO_SLOT;
    case END_INDEXED: return false;
    }
    return false;
}

int code_successor(const Code *code, int number, int index)
{
    const BasicBlock *block = &code->blocks[number];
    if (index == 0)
        return may_fall(block) && number + 1 < code->block_count ? number + 1 : -1;
    switch ((BlockEnd)block->ends) {
    case END_BRANCH: return index == 1 ? block->target : -2;
    case END_INDEXED: return index <= block->target_count ? block->targets[index - 1] : -2;
    case END_FALL:
    case END_EXIT:
    case END_CLUSTER:
    case END_BARRIER:
    case END_CALL:
    case END_RETURN:
    case END_TRAP: return -2;
    }
    return -2;
}

/* ==== atomic value ================================================================================================ */

/* Source   PTX ISA 9.0, Parallel Synchronization and Communication Instructions: atom, mbarrier. */

static int64_t extended(uint64_t value, uint32_t size)
{
    return size == 2 ? (int32_t)value : (int64_t)value;
}

static uint64_t float_sum(uint64_t a, uint64_t b, uint32_t size)
{
    if (size == 2)
        return f32_bits(f32_from((u32)a) + f32_from((u32)b));
    double x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    x += y;
    memcpy(&a, &x, sizeof a);
    return a;
}

/* The sum of two halves, or of two pairs of halves. */
static uint64_t half_sum(AtomicKind kind, uint64_t a, uint64_t b)
{
    return kind == ATOMIC_F16_ADD ? HALVES2(add_f16, (u32)a, (u32)b) : HALVES2(add_bf16, (u32)a, (u32)b);
}

uint64_t atomic_value(AtomicKind kind, uint32_t size, bool is_signed, uint64_t old, uint64_t b, uint64_t c)
{
    bool less = is_signed ? extended(old, size) < extended(b, size) : old < b;
    switch (kind) {
    case ATOMIC_ADD: return old + b;
    case ATOMIC_FLOAT_ADD: return float_sum(old, b, size);
    case ATOMIC_F16_ADD:
    case ATOMIC_BF16_ADD: return half_sum(kind, old, b);
    case ATOMIC_INC: return old >= b ? 0 : old + 1;
    case ATOMIC_DEC: return old == 0 || old > b ? b : old - 1;
    case ATOMIC_MIN: return less ? old : b;
    case ATOMIC_MAX: return less ? b : old;
    case ATOMIC_EXCHANGE: return b;
    case ATOMIC_COMPARE: return old == b ? c : old;
    case ATOMIC_AND: return old & b;
    case ATOMIC_OR: return old | b;
    case ATOMIC_XOR: return old ^ b;
    case ATOMIC_ARRIVE: return mbarrier_after(old, b, 0, false);
    case ATOMIC_ARRIVE_DROP: return mbarrier_after(old, b, 0, true);
    case ATOMIC_EXPECT_BYTES: return mbarrier_after(old, 0, (int64_t)b, false);
    case ATOMIC_COMPLETE_BYTES: return mbarrier_after(old, 0, -(int64_t)b, false);
    }
    return old;
}
