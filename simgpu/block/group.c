/* Groups are the lanes of a block that are at the same place.
 *
 * The group at the lowest basic block runs first, until it has passed another group or has to wait. Groups that meet
 * become one. Compilers lay code out so that paths join further down, so lanes that parted at a branch meet again where
 * the paths join.
 *
 * Lanes that are in more calls of procedures (code.h) run before all others, so that lanes which called different ones
 * meet again behind the call.
 *
 * Two cases need another order. The lanes of a warp must not pass a .sync operation one by one (BasicBlock.joins): a
 * group that comes to one without the rest of its warp lets the others go first, until nothing else can run. And a loop
 * that spins until other lanes have done something would spin for ever: after some thousand turns a group lets others
 * run.  */
#include "simgpu/block/group.h"

#include "base/arena.h"
#include "simgpu/block/worker.h"

#include <stdlib.h>
#include <string.h>

Group *group_add(Worker *worker, int32_t pc)
{
    Group *group = worker->spare_count > 0 ? worker->spares[--worker->spare_count] : allocated(malloc(sizeof *group));
    memset(&group->active, 0, sizeof group->active);
    group->pc = pc;
    group->depth = 0;
    group->is_waiting = group->has_yielded = group->is_forced = false;
    group->backward = 0;
    group->path = 0;
    worker->groups[worker->group_count++] = group;
    return group;
}

void group_remove(Worker *worker, Group *group)
{
    int i = 0;
    while (worker->groups[i] != group)
        i++;
    worker->groups[i] = worker->groups[--worker->group_count];
    worker->spares[worker->spare_count++] = group;
}

/* Warps that came by a shorter way are ahead by the difference. A warp that comes with lanes of both has gone both ways. */
static void join_paths(Worker *worker, Group *group, const Group *other)
{
    const uint64_t longest = other->path > group->path ? other->path : group->path;
    for (uint32_t word = 0; word < worker->launch->warps; word++) {
        if (other->active.bits[word] == 0)
            worker->ahead[word] += longest - group->path;
        else if (group->active.bits[word] == 0)
            worker->ahead[word] += longest - other->path;
    }
    group->path = longest;
}

/* Merges into `group` all groups that can run at the same place. */
static void merge_into(Worker *worker, Group *group)
{
    bool merged = false;
    for (int i = worker->group_count; i-- > 0;) {
        Group *other = worker->groups[i];
        if (other == group || other->is_waiting || other->pc != group->pc || other->depth != group->depth)
            continue;
        join_paths(worker, group, other);
        for (uint32_t word = 0; word < worker->launch->warps; word++)
            group->active.bits[word] |= other->active.bits[word];
        group_remove(worker, other);
        merged = true;
    }
    if (merged) {
        group->has_yielded = group->is_forced = false;
        group->backward = 0;
    }
}

static bool is_before(const Group *group, const Group *other)
{
    return group->depth != other->depth ? group->depth > other->depth : group->pc < other->pc;
}

static Group *lowest(Worker *worker, bool yielded_too)
{
    Group *found = NULL;
    for (int i = 0; i < worker->group_count; i++) {
        Group *group = worker->groups[i];
        if (group->is_waiting || (group->has_yielded && !yielded_too))
            continue;
        if (found == NULL || is_before(group, found))
            found = group;
    }
    return found;
}

bool group_all_yield(Worker *worker)
{
    return lowest(worker, false) == NULL;
}

void group_wake_all(Worker *worker)
{
    for (int i = 0; i < worker->group_count; i++)
        worker->groups[i]->has_yielded = false;
}

Group *group_pick(Worker *worker)
{
    Group *group = lowest(worker, false);
    if (group == NULL) {
        group = lowest(worker, true);
        if (group == NULL)
            return NULL;
        group->is_forced = true;
        group_wake_all(worker);
    }
    merge_into(worker, group);
    active_measure(&group->active, worker);
    return group;
}

int32_t group_lowest_other(const Worker *worker, const Group *group)
{
    int32_t pc = INT32_MAX;
    for (int i = 0; i < worker->group_count; i++) {
        const Group *other = worker->groups[i];
        if (other != group && !other->is_waiting && other->pc < pc)
            pc = other->pc;
    }
    return pc;
}

bool group_is_first(const Worker *worker, const Group *group)
{
    for (int i = 0; i < worker->group_count; i++) {
        const Group *other = worker->groups[i];
        if (other != group && !other->is_waiting && !is_before(group, other))
            return false;
    }
    return true;
}

bool group_misses_lanes(const Worker *worker, const Group *group)
{
    if (group->active.whole)
        return false;
    for (uint32_t warp = 0; warp < worker->launch->warps; warp++)
        if (group->active.bits[warp] != 0 && group->active.bits[warp] != worker->live[warp])
            return true;
    return false;
}

Group *group_split(Worker *worker, Group *group, const Active *part, int32_t pc)
{
    Group *other = group_add(worker, pc);
    other->depth = group->depth;
    other->path = group->path;
    memcpy(other->active.bits, part->bits, sizeof part->bits);
    for (uint32_t word = 0; word < worker->launch->warps; word++)
        group->active.bits[word] &= ~part->bits[word];
    active_measure(&group->active, worker);
    active_measure(&other->active, worker);
    return other;
}

void group_count_divergence(Worker *worker, const Group *stay, const Group *leave)
{
    for (uint32_t word = 0; word < worker->launch->warps; word++)
        worker->counters.divergent_branches += stay->active.bits[word] != 0 && leave->active.bits[word] != 0;
}
