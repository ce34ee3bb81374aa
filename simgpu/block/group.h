/* group.h - the lanes of a block that are at the same place, and which of them run next.  */
#ifndef SIMGPU_BLOCK_GROUP_H
#define SIMGPU_BLOCK_GROUP_H

#include "simgpu/block/active.h"

typedef struct Worker Worker;

/* Lanes at the same place. */
typedef struct Group {
    Active active;
    int32_t pc;        /* basic block */
    bool is_waiting;   /* at the barrier that ends block pc */
    bool has_yielded;  /* others go first */
    bool is_forced;    /* goes on although lanes of its warps are missing */
    uint32_t barrier;  /* number, while waiting */
    uint32_t backward; /* backward branches since others were given a chance */
} Group;

Group *group_add(Worker *worker, int32_t pc);
void group_remove(Worker *worker, Group *group);
/* Lanes of `part` leave `group` for a group of their own, at `pc`. */
Group *group_split(Worker *worker, Group *group, const Active *part, int32_t pc);
/* The group to run next; NULL: none can. */
Group *group_pick(Worker *worker);
/* Lowest place of the other groups that can run: `group` may go on as long as it stays below. */
int32_t group_lowest_other(const Worker *worker, const Group *group);
/* Are living lanes of its warps elsewhere? */
bool group_misses_lanes(const Worker *worker, const Group *group);

#endif
