/* group.h - the lanes of a block that are at the same place, and which of them run next.  */
#ifndef SIMGPU_BLOCK_GROUP_H
#define SIMGPU_BLOCK_GROUP_H

#include "simgpu/block/active.h"

typedef struct Worker Worker;

/* Lanes at the same place. */
typedef struct Group {
    Active active;
    int32_t pc;        /* number of a basic block */
    uint32_t depth;    /* calls of procedures that the lanes are in */
    bool is_waiting;   /* at the barrier that ends basic block pc */
    bool has_yielded;  /* lets other groups go first */
    bool is_forced;    /* goes on although lanes of its warps are elsewhere */
    uint32_t barrier;  /* number of the barrier, while waiting */
    uint32_t backward; /* backward branches since other groups last had a turn */
    uint64_t path;     /* PTX instructions of its lanes so far; of lanes that met, the longest way */
} Group;

Group *group_add(Worker *worker, int32_t pc);
void group_remove(Worker *worker, Group *group);
/* Moves the lanes of `part` from `group` to a new group at `pc`. */
Group *group_split(Worker *worker, Group *group, const Active *part, int32_t pc);
/* Does every group wait at a barrier, or let the others go first? */
bool group_all_yield(Worker *worker);
/* Something has changed for which groups that let the others go first may have waited. */
void group_wake_all(Worker *worker);
/* Counts the warps that the split of a group has divided. */
void group_count_divergence(Worker *worker, const Group *stay, const Group *leave);
/* The group to run next; NULL: none can run. */
Group *group_pick(Worker *worker);
/* The lowest basic block at which another group can run: `group` may go on as long as it stays below. For code without
 * procedures. */
int32_t group_lowest_other(const Worker *worker, const Group *group);
/* Must the group run before all others that can run? */
bool group_is_first(const Worker *worker, const Group *group);
/* Are living lanes of the group's warps elsewhere? */
bool group_misses_lanes(const Worker *worker, const Group *group);

#endif
