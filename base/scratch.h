/* scratch.h - private temporary folders that are removed when their process ends, however it ends. So is what the process
 * and its children leave unfinished in the compile cache, and its control groups.
 *
 * A folder lies in TMPDIR or /tmp, and is named after its process (scratch.c). The first one starts a janitor, a forked child
 * that waits for the end of its parent (exit, a signal, kill -9, a crash) and then removes the parent's folders. No
 * signal handler is needed: it could not remove a tree safely, and kill -9 would not run it. If the janitor itself is
 * killed, the next process that makes a folder removes the rest.  */
#ifndef BASE_SCRATCH_H
#define BASE_SCRATCH_H

#include "base/status.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* ==== cgroup ====================================================================================================== */

/* A control group for the processes of one sandbox, where the kernel lends one (version 2, with the controllers
 * for memory and processes). Its limit counts all memory that the kernel keeps for them, page tables and pipes included,
 * and all of them together; limits of a process (process.h) hold as well.
 *
 * A group is a folder, named after its process (scratch.c), in this process's own group, or in the nearest one above it that may
 * have more groups: systemd-run --user --scope -p Delegate=yes gives an ordinary user one. What a killed judge leaves is
 * removed by its janitor or by the next judge.
 *
 * Source   Linux, Documentation/admin-guide/cgroup-v2.rst. */

typedef struct CgroupLimits {
    size_t memory_bytes; /* beyond which the kernel kills all of them; 0: no limit */
    unsigned processes;  /* threads count; 0: no limit */
} CgroupLimits;

typedef struct Cgroup {
    char path[PATH_MAX]; /* "": none */
} Cgroup;

/* Makes a group; false where the judge may not make any. */
bool cgroup_new(const CgroupLimits *limits, Cgroup *cgroup);
/* The same in a given folder. */
bool cgroup_new_in(const char *parent, const CgroupLimits *limits, Cgroup *cgroup);
/* Moves a process into the group. */
bool cgroup_take(const char *path, pid_t process);
/* True if the kernel has killed processes of the group because memory ran out. */
bool cgroup_ran_out_of_memory(const Cgroup *cgroup);
/* Kills what is in the group, and removes it. */
void cgroup_remove(Cgroup *cgroup);

/* Removes the groups of a judge that has ended, or of all that have (0). Returns how many are still there. */
int cgroup_sweep(pid_t judge);
int cgroup_sweep_in(const char *parent, pid_t judge);

/* ==== scratch ===================================================================================================== */

/* Starts the janitor if it has not been started. */
MUST_USE Status scratch_guard(Message *why);
/* Makes a folder that only this user may enter. */
MUST_USE Status scratch_new(char *path, size_t size, Message *why);
/* Removes the folder with everything in it; a missing folder is no error. Symbolic links are never followed. */
void scratch_remove(const char *path);

#endif
