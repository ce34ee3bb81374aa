/* All threads of the cluster arrive at one barrier, which opens for all of them together and so begins its next phase. As
 * at a barrier of a block, threads that have exited count as if they had arrived.
 *
 * Source   PTX ISA 9.0, Parallel Synchronization and Communication Instructions: barrier.cluster.  */
#include "simgpu/barrier/cluster_barrier.h"

#include "simgpu/block/cluster.h"
#include "simgpu/block/execute.h"
#include "simgpu/block/fault.h"
#include "simgpu/block/predicate.h"
#include "simgpu/block/worker.h"
#include "simgpu/sanitizer/sanitizer.h"

#include <string.h>

static bool have_all_arrived(const Cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->count; i++)
        for (uint32_t warp = 0; warp < cluster->blocks[i]->launch->warps; warp++)
            if ((cluster->blocks[i]->live[warp] & ~cluster->blocks[i]->cluster_arrived[warp]) != 0)
                return false;
    return true;
}

/* Lets the threads of one block go on that wait for the cluster. */
static void let_go(Worker *worker)
{
    memset(worker->cluster_arrived, 0, sizeof worker->cluster_arrived);
    for (int i = 0; i < worker->group_count; i++) {
        Group *group = worker->groups[i];
        if (!group->is_waiting || group->barrier != CLUSTER_BARRIER)
            continue;
        for (uint32_t warp = 0; warp < worker->launch->warps; warp++)
            worker->cluster_owes[warp] &= ~group->active.bits[warp];
        group->is_waiting = false;
        group->pc++;
    }
}

void cluster_barrier_open(const Worker *worker)
{
    const Cluster *cluster = worker->cluster;
    if (!have_all_arrived(cluster))
        return;
    worker->cluster->has_met = true;
    for (uint32_t i = 0; i < cluster->count; i++) {
        if (cluster->blocks[i]->sanitizer != NULL)
            sanitizer_cluster_barrier(cluster->blocks[i]);
        let_go(cluster->blocks[i]);
    }
}

bool execute_cluster_arrive(Worker *worker, const Instruction *instruction, Active *active)
{
    worker->counters.barriers += active->warps;
    for (uint32_t warp = 0; warp < worker->launch->warps; warp++) {
        uint32_t twice = active->bits[warp] & worker->cluster_owes[warp];
        if (twice != 0)
            return worker_fault(worker, SIM_BAD_BARRIER, instruction->file, instruction->line,
                                warp * SIM_WARP_SIZE + (uint32_t)__builtin_ctz(twice),
                                "arrives at the barrier of its cluster twice without waiting in between");
        worker->cluster_arrived[warp] |= active->bits[warp];
        worker->cluster_owes[warp] |= active->bits[warp];
    }
    cluster_barrier_open(worker);
    return true;
}

/* Sets `part` to the lanes for which the barrier has not opened since they arrived; false: it has for all. */
static bool still_closed(const Worker *worker, const Active *active, Active *part)
{
    *part = *active;
    for (uint32_t warp = 0; warp < worker->launch->warps; warp++)
        part->bits[warp] &= worker->cluster_arrived[warp];
    active_measure(part, worker);
    return part->count > 0;
}

bool cluster_wait(Worker *worker, Group *group, const BasicBlock *block)
{
    Active waiting, closed;
    if (!predicate_lanes(worker, &group->active, block->guard, block->guard_negated, &waiting)) {
        group->pc++;
        return true;
    }
    for (uint32_t warp = 0; warp < worker->launch->warps; warp++) {
        uint32_t stray = waiting.bits[warp] & ~worker->cluster_owes[warp];
        if (stray != 0)
            return worker_fault(worker, SIM_BAD_BARRIER, block->file, block->line,
                                warp * SIM_WARP_SIZE + (uint32_t)__builtin_ctz(stray),
                                "waits at the barrier of its cluster without having arrived there");
    }
    bool is_closed = still_closed(worker, &waiting, &closed);
    for (uint32_t warp = 0; warp < worker->launch->warps; warp++)
        worker->cluster_owes[warp] &= ~(waiting.bits[warp] & ~(is_closed ? closed.bits[warp] : 0));
    if (!is_closed) {
        group->pc++;
        return true;
    }
    if (closed.count < group->active.count) {
        Group *rest = group;
        group = group_split(worker, rest, &closed, rest->pc);
        rest->pc++;
    }
    group->is_waiting = true;
    group->barrier = CLUSTER_BARRIER;
    return true;
}
