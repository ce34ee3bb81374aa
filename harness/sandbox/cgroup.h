/* cgroup.h - a control group for the processes of one sandbox, where the kernel lends one (version 2, with the controllers
 * for memory and processes). Its limit counts all memory that the kernel keeps for them, page tables and pipes included,
 * and all of them together; limits of a process (process.h) hold as well.
 *
 * A group is a folder, named as judge_name.h says, in this process's own group, or in the nearest one above it that may
 * have more groups: systemd-run --user --scope -p Delegate=yes gives an ordinary user one. What a killed judge leaves is
 * removed by its janitor (scratch.h) or by the next judge.
 *
 * Source   Linux, Documentation/admin-guide/cgroup-v2.rst.  */
#ifndef HARNESS_SANDBOX_CGROUP_H
#define HARNESS_SANDBOX_CGROUP_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct CgroupLimits {
    size_t memory_bytes; /* beyond which the kernel kills all of them; 0: no limit */
    unsigned processes;  /* threads count; 0: no limit */
} CgroupLimits;

typedef struct Cgroup {
    char path[PATH_MAX]; /* "": none */
} Cgroup;

/* Makes a group; false where the kernel lends none. */
bool cgroup_new(const CgroupLimits *limits, Cgroup *cgroup);
/* The same in a given folder. */
bool cgroup_new_in(const char *parent, const CgroupLimits *limits, Cgroup *cgroup);
/* Moves a process into the group. */
bool cgroup_take(const char *path, pid_t process);
/* Whether the kernel has killed for want of memory in it. */
bool cgroup_ran_out_of_memory(const Cgroup *cgroup);
/* Kills what is in the group, and removes it. */
void cgroup_remove(Cgroup *cgroup);

/* Removes the groups of a judge that has ended, or of all that have (0). Returns how many are still there. */
int cgroup_sweep(pid_t judge);
int cgroup_sweep_in(const char *parent, pid_t judge);

#endif
