#include "simgpu/lower/lower_hint.h"

#include "simgpu/lower/emit/basic_block.h"
#include "simgpu/lower/emit/emit.h"
#include "simgpu/lower/emit/operand.h"
#include "simgpu/lower/emit/virtual_register.h"

/* Every access is performed at once and in order: fences, prefetches and hints have nothing left to do. */
void lower_nothing(Lowering *l, const Parts *parts)
{
    count_control(l);
}

/* A policy of the cache is a hint. */
void lower_create_policy(Lowering *l, const Parts *parts)
{
    lower_nothing(l, parts);
    emit_move(l, result_operand(l, operand_at(l, 0), 8), constant(l, 0, 8));
}

/* Whoever sleeps waits for others. */
void lower_sleep(Lowering *l, const Parts *parts)
{
    lower_nothing(l, parts);
    current_block(l)->waits = true;
}
