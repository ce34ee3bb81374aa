#include "simgpu/lower/lower_barrier.h"

#include "simgpu/lower/emit/basic_block.h"
#include "simgpu/lower/emit/emit.h"
#include "simgpu/lower/emit/operand.h"
#include "simgpu/lower/emit/virtual_register.h"
#include "simgpu/lower/lower_warp.h"

/* bar.sync a {, b}; bar.arrive a, b; bar.red.popc.u32 d, a {, b}, p; bar.red.and.pred p, a {, b}, q */
static void lower_barrier(Lowering *l, const OpcodeModifiers *parts)
{
    BarrierKind kind = parts_have(parts, "arrive") ? BARRIER_ARRIVE
                       : parts_have(parts, "popc") ? BARRIER_POPC
                       : parts_have(parts, "and")  ? BARRIER_AND
                       : parts_have(parts, "or")   ? BARRIER_OR
                                                   : BARRIER_SYNC;
    bool reduces = kind >= BARRIER_POPC;
    int first = reduces ? 1 : 0, count = l->source->operand_count - first - (reduces ? 1 : 0);
    if ((!reduces && !parts_have(parts, "sync") && kind != BARRIER_ARRIVE) || count > 2 || (reduces && count < 1))
        lower_refuse(l, "");
    Operand number = count >= 1 ? source_operand(l, operand_at(l, first), 4) : constant(l, 0, 4);
    Operand threads = count == 2 ? source_operand(l, operand_at(l, first + 1), 4) : no_operand;
    Operand source = reduces ? source_operand(l, operand_at(l, l->source->operand_count - 1), 1) : no_operand;
    Operand result = reduces ? result_operand(l, operand_at(l, 0), kind == BARRIER_POPC ? 4 : 1) : no_operand;
    if (kind != BARRIER_ARRIVE && count < 2)
        emit(l, BARRIER);
    BasicBlock *block = end_block(l, END_BARRIER);
    block->barrier = (uint8_t)kind;
    block->index = number;
    block->threads = threads;
    block->source = source;
    block->result = result;
}

/* barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned */
static void lower_cluster_barrier(Lowering *l, const OpcodeModifiers *parts)
{
    l->code->uses_cluster = true;
    if (parts_have(parts, "wait")) {
        end_block(l, END_CLUSTER);
        return;
    }
    if (!parts_have(parts, "arrive"))
        lower_refuse(l, "");
    count_control(l);
    emit(l, CLUSTER_ARRIVE);
}

void lower_bar(Lowering *l, const OpcodeModifiers *parts)
{
    if (parts_have(parts, "cluster"))
        lower_cluster_barrier(l, parts);
    else if (parts_have(parts, "warp"))
        lower_warp_barrier(l, parts);
    else
        lower_barrier(l, parts);
}
