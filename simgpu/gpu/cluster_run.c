#include "simgpu/gpu/cluster_run.h"

#include "simgpu/barrier/barrier.h"
#include "simgpu/block/worker.h"
#include "simgpu/engine/bulk_copy.h"
#include "simgpu/engine/interpreter.h"

/* Runs a block of a cluster until all its threads wait, or look for something to change. `has_run`: some could run. */
static bool run_turn(Worker *worker, bool *has_run)
{
    Group *group = group_pick(worker);
    *has_run |= group != NULL;
    while (group != NULL) {
        if (!group_run(worker, group))
            return false;
        group = worker->group_count > 0 && !group_all_yield(worker) ? group_pick(worker) : NULL;
    }
    return true;
}

/* The blocks take turns. Copies end one by one, so that they end late. */
static bool run_turns(Cluster *cluster, bool *has_run, bool *is_left)
{
    for (uint32_t i = 0; i < cluster->count; i++) {
        uint32_t rank = cluster->number % 2 != 0 ? cluster->count - 1 - i : i; /* both orders occur */
        Worker *worker = cluster->blocks[rank];
        if (worker->group_count > 0 && !run_turn(worker, has_run))
            return false;
        *has_run |= bulk_copy_end_one(worker);
        *is_left |= worker->group_count > 0 || worker->bulk_count > 0;
    }
    return true;
}

static Worker *block_that_waits(const Cluster *cluster)
{
    uint32_t rank = 0;
    while (cluster->blocks[rank]->group_count == 0)
        rank++;
    return cluster->blocks[rank];
}

bool run_cluster(Cluster *cluster)
{
    bool is_left = true;
    cluster->has_met = false;
    for (uint32_t i = 0; i < cluster->count; i++)
        groups_begin(cluster->blocks[i]);
    while (is_left) {
        bool has_run = is_left = false;
        if (!run_turns(cluster, &has_run, &is_left))
            return false;
        if (is_left && !has_run)
            return barrier_deadlock(block_that_waits(cluster));
    }
    for (uint32_t i = 0; i < cluster->count; i++)
        bulk_copy_end_all(cluster->blocks[i]);
    return may_go_on(cluster->blocks[0]);
}
