/* All threads of the cluster arrive at one barrier, which opens for all of them together and so begins its next phase. As
 * at a barrier of a block, threads that have exited count as if they had arrived.
 *
 * Source   PTX ISA 9.0, Parallel Synchronization and Communication Instructions: barrier.cluster.  */
#include "simgpu/engine/barrier.h"

#include "simgpu/block/active.h"
#include "simgpu/block/cluster.h"
#include "simgpu/block/fault.h"
#include "simgpu/block/raw_finding.h"
#include "simgpu/block/register.h"
#include "simgpu/block/sanitizer.h"
#include "simgpu/block/shadow_cells.h"
#include "simgpu/block/warp_order.h"
#include "simgpu/block/worker.h"

#include <string.h>

/* ==== cluster barrier ============================================================================================= */

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

/* ==== barrier ===================================================================================================== */

/* Lanes wait at a barrier as groups, and all go on when as many threads have arrived as the barrier expects.
 *
 * As on hardware, a barrier does not wait for lanes that have exited. But only at a barrier of all threads does PTX
 * count these as arrived (PTX ISA, exit). Where the code gives a number of threads, what has exited is ordered with
 * nothing: the sanitizer reports a race if the threads share memory. A barrier that only a part of a warp reaches is
 * undefined on hardware. Here it is a fault, and so is a barrier at which lanes wait when no other lane can arrive.  */

/* Lanes that wait at a barrier, or have arrived there without waiting. */
static uint32_t arrived_lanes(const Worker *worker, uint32_t barrier)
{
    uint32_t count = worker->arrived[barrier];
    for (int i = 0; i < worker->group_count; i++)
        if (worker->groups[i]->is_waiting && worker->groups[i]->barrier == barrier)
            count += worker->groups[i]->active.count;
    return count;
}

/* Threads that have arrived by the count of the hardware: a warp whose living lanes have all arrived counts as a whole
 * one (PTX ISA, barrier). */
static uint32_t arrived_threads(const Worker *worker, uint32_t barrier)
{
    uint32_t count = worker->arrived[barrier];
    for (uint32_t warp = 0; warp < worker->launch->warps; warp++) {
        uint32_t waiting = 0;
        for (int i = 0; i < worker->group_count; i++)
            if (worker->groups[i]->is_waiting && worker->groups[i]->barrier == barrier)
                waiting |= worker->groups[i]->active.bits[warp];
        bool is_all = waiting != 0 && waiting == worker->live[warp];
        count += is_all ? SIM_WARP_SIZE : (uint32_t)__builtin_popcount(waiting);
    }
    return count;
}

/* Have as many threads arrived as the code says, or else all living ones? */
static bool is_complete(const Worker *worker, uint32_t barrier)
{
    uint32_t threads = worker->expected[barrier], arrived = arrived_lanes(worker, barrier);
    bool is_counted = threads > 0 && arrived_threads(worker, barrier) >= threads;
    return arrived > 0 && (arrived >= worker->live_count || is_counted);
}

/* Does the barrier order all threads of the block, those that have exited included? */
static bool is_of_all_threads(const Worker *worker, uint32_t barrier)
{
    uint32_t arrived = arrived_lanes(worker, barrier);
    return worker->arrived[barrier] == 0 && arrived == worker->live_count &&
           (worker->expected[barrier] == 0 || arrived == worker->launch->threads);
}

/* The result of a bar.red over all waiting lanes. */
static uint32_t reduce_waiting(Worker *worker, uint32_t barrier, BarrierKind kind)
{
    uint32_t yes = 0, all = 0;
    for (int i = 0; i < worker->group_count; i++) {
        const Group *group = worker->groups[i];
        if (!group->is_waiting || group->barrier != barrier)
            continue;
        const BasicBlock *block = &worker->code->blocks[group->pc];
        for (uint32_t lane = group->active.first; lane < group->active.end; lane++)
            if (active_has(&group->active, lane))
                yes += (uint32_t)register_value(worker, block->source, lane) & 1;
        all += group->active.count;
    }
    return kind == BARRIER_POPC ? yes : kind == BARRIER_AND ? yes == all : yes != 0;
}

static void give_reductions(Worker *worker, uint32_t barrier)
{
    for (int i = 0; i < worker->group_count; i++) {
        Group *group = worker->groups[i];
        const BasicBlock *block = &worker->code->blocks[group->pc];
        if (!group->is_waiting || group->barrier != barrier || block->barrier < BARRIER_POPC)
            continue;
        uint32_t value = reduce_waiting(worker, barrier, (BarrierKind)block->barrier);
        active_measure(&group->active, worker);
        register_write_all(worker, &group->active, block->result, &value);
    }
}

static bool bad_barrier(Worker *worker, const Group *group, const char *what)
{
    const BasicBlock *block = &worker->code->blocks[group->pc];
    return worker_fault(worker, SIM_BAD_BARRIER, block->file, block->line, group->active.first, "waits at a barrier %s",
                        what);
}

/* The BARRIER instruction of the barrier that ends a basic block; NULL where not all threads must reach that
 * barrier. */
static const Instruction *barrier_of(const Worker *worker, int32_t block)
{
    const BasicBlock *at = &worker->code->blocks[block];
    if (at->ends != END_BARRIER || at->end == at->first)
        return NULL;
    const Instruction *last = &worker->code->instructions[at->end - 1];
    return last->kind == BARRIER ? last : NULL;
}

/* Reports groups that wait at another __syncthreads() than the group with the lowest lane. */
static void note_mixed(Worker *worker, uint32_t barrier)
{
    const Group *first = NULL;
    for (int i = 0; i < worker->group_count; i++) {
        const Group *group = worker->groups[i];
        bool waits = group->is_waiting && group->barrier == barrier && barrier_of(worker, group->pc) != NULL;
        if (waits && (first == NULL || group->active.first < first->active.first))
            first = group;
    }
    for (int i = 0; i < worker->group_count && first != NULL; i++) {
        const Group *group = worker->groups[i];
        const Instruction *place = barrier_of(worker, group->pc);
        if (group->is_waiting && group->barrier == barrier && group->pc != first->pc && place != NULL)
            raw_finding_note(worker, place, SIM_MIXED_BARRIERS,
                             (RawFinding){.lane = group->active.first, .other = first->active.first});
    }
}

void barrier_note_exits(Worker *worker, int32_t block, uint32_t waiting)
{
    const Instruction *place = barrier_of(worker, block);
    if (place == NULL || worker->live_count == worker->launch->threads)
        return;
    uint32_t lane = 0;
    while (worker->live[lane / SIM_WARP_SIZE] >> (lane % SIM_WARP_SIZE) & 1)
        lane++;
    raw_finding_note(worker, place, SIM_EARLY_EXIT, (RawFinding){.lane = lane, .other = waiting});
}

static void note_exits(Worker *worker, uint32_t barrier)
{
    for (int i = 0; i < worker->group_count; i++)
        if (worker->groups[i]->is_waiting && worker->groups[i]->barrier == barrier)
            barrier_note_exits(worker, worker->groups[i]->pc, worker->groups[i]->active.first);
}

static void go_on_after(Sanitizer *sanitizer, uint32_t barrier, const Active *active)
{
    warp_order_go_on(sanitizer, barrier, active);
    grid_wait_follow(sanitizer, active);
}

/* Tells the sanitizer who has waited for whom: all for all, unless some threads only arrive, or are not expected. */
static void order_threads(Worker *worker, uint32_t barrier)
{
    Sanitizer *sanitizer = worker->sanitizer;
    if (is_of_all_threads(worker, barrier)) {
        sanitizer_barrier(sanitizer);
        return;
    }
    for (int i = 0; i < worker->group_count; i++)
        if (worker->groups[i]->is_waiting && worker->groups[i]->barrier == barrier)
            warp_order_arrive(sanitizer, barrier, &worker->groups[i]->active);
    for (int i = 0; i < worker->group_count; i++)
        if (worker->groups[i]->is_waiting && worker->groups[i]->barrier == barrier)
            go_on_after(sanitizer, barrier, &worker->groups[i]->active);
    warp_order_end_round(sanitizer, barrier);
}

/* A warp that asks for more registers than its block has left waits for others to give some back (setmaxnreg). That is
 * looked at where all threads of the block have come: none of them can give any back before it. */
bool registers_suffice(Worker *worker)
{
    if (worker->overdrawn <= 0)
        return true;
    return worker_fault(
        worker, SIM_ENDLESS, worker->overdraft->file, worker->overdraft->line, 0,
        "setmaxnreg waits for ever: the warps of the block ask for %lld registers per thread more than the "
        "block has, added up over its warps",
        (long long)worker->overdrawn);
}

/* Of the groups that wait at the barrier: all of them leave it at the time of the last one. */
static uint64_t longest_path(const Worker *worker, uint32_t barrier)
{
    uint64_t longest = 0;
    for (int i = 0; i < worker->group_count; i++) {
        const Group *group = worker->groups[i];
        if (group->is_waiting && group->barrier == barrier && group->path > longest)
            longest = group->path;
    }
    return longest;
}

/* Lets all waiting groups go on if the barrier is complete. */
static bool release_barrier(Worker *worker, uint32_t barrier)
{
    if (!is_complete(worker, barrier))
        return true;
    for (int i = 0; i < worker->group_count; i++) {
        const Group *group = worker->groups[i];
        if (group->is_waiting && group->barrier == barrier && group_misses_lanes(worker, group))
            return bad_barrier(worker, group, "that only a part of its warp reaches");
    }
    if (is_of_all_threads(worker, barrier) && !registers_suffice(worker))
        return false;
    if (worker->sanitizer != NULL) {
        note_mixed(worker, barrier);
        note_exits(worker, barrier);
        order_threads(worker, barrier);
    }
    give_reductions(worker, barrier);
    const uint64_t path = longest_path(worker, barrier);
    for (int i = 0; i < worker->group_count; i++) {
        Group *group = worker->groups[i];
        if (group->is_waiting && group->barrier == barrier) {
            group->is_waiting = false;
            group->path = path;
            group->pc++;
        }
    }
    worker->arrived[barrier] = worker->expected[barrier] = 0;
    return true;
}

/* Lanes at the same barrier instruction wait as one group, so that a warp that arrives in parts becomes whole again. */
static void merge_waiting(Worker *worker, Group *group)
{
    for (int i = worker->group_count; i-- > 0;) {
        Group *other = worker->groups[i];
        if (other == group || !other->is_waiting || other->pc != group->pc || other->barrier != group->barrier)
            continue;
        for (uint32_t word = 0; word < worker->launch->warps; word++)
            group->active.bits[word] |= other->active.bits[word];
        group->path = other->path > group->path ? other->path : group->path;
        group_remove(worker, other);
    }
    active_measure(&group->active, worker);
}

bool barrier_arrive(Worker *worker, Group *group, const BasicBlock *block)
{
    Active arriving;
    if (!predicate_lanes(worker, &group->active, block->guard, block->guard_negated, &arriving)) {
        group->pc++;
        return true;
    }
    if (arriving.count < group->active.count) {
        Group *rest = group;
        group = group_split(worker, rest, &arriving, rest->pc);
        rest->pc++;
    }
    uint64_t barrier = register_value(worker, block->index, arriving.first);
    uint64_t threads = register_value(worker, block->threads, arriving.first);
    if (barrier >= MAX_BARRIERS || threads % SIM_WARP_SIZE != 0)
        return bad_barrier(worker, group, "whose number or count of threads is not allowed");
    if (threads > worker->launch->warps * SIM_WARP_SIZE)
        return bad_barrier(worker, group, "for more threads than the block has");
    worker->counters.barriers += arriving.warps;
    worker->expected[barrier] = (uint32_t)threads;
    if (block->barrier == BARRIER_ARRIVE) {
        worker->arrived[barrier] += arriving.count;
        if (worker->sanitizer != NULL)
            warp_order_arrive(worker->sanitizer, (uint32_t)barrier, &arriving);
        group->pc++;
        return release_barrier(worker, (uint32_t)barrier);
    }
    group->is_waiting = true;
    group->barrier = (uint32_t)barrier;
    merge_waiting(worker, group);
    return release_barrier(worker, (uint32_t)barrier);
}

bool barrier_release_all(Worker *worker)
{
    for (int i = 0; i < worker->group_count; i++)
        if (worker->groups[i]->is_waiting && worker->groups[i]->barrier != CLUSTER_BARRIER &&
            !release_barrier(worker, worker->groups[i]->barrier))
            return false;
    return true;
}

bool barrier_deadlock(Worker *worker)
{
    bool of_cluster = worker->groups[0]->barrier == CLUSTER_BARRIER;
    return bad_barrier(worker, worker->groups[0],
                       of_cluster ? "that not all threads of the cluster reach"
                                  : "that not all threads of the block reach");
}
