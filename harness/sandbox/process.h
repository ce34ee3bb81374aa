/* process.h - child processes: started with nothing inherited by accident, bounded in time and output, reaped for sure.
 *
 * Every child dies with the thread that started it (PR_SET_PDEATHSIG), so a killed grader leaves none behind: start
 * children from a thread that lives as long as they may.  */
#ifndef HARNESS_SANDBOX_PROCESS_H
#define HARNESS_SANDBOX_PROCESS_H

#include "base/status.h"
#include "base/text.h"
#include "harness/sandbox/scratch.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct ProcessLimits {  /* 0: as inherited */
    size_t address_space_bytes; /* RLIMIT_AS */
    size_t data_bytes;          /* RLIMIT_DATA: private writable memory, reservations without access excluded */
    size_t file_bytes;          /* RLIMIT_FSIZE */
    unsigned cpu_seconds;       /* RLIMIT_CPU */
    unsigned processes;         /* RLIMIT_NPROC */
    unsigned open_files;        /* RLIMIT_NOFILE */
} ProcessLimits;

typedef struct ProcessSpec {
    const char *const *argv;        /* argv[0] is a path; NULL at the end */
    const char *const *environment; /* "NAME=value", NULL at the end; NULL: an empty environment */
    const char *folder;             /* working folder; NULL: the current one */
    const int *keep;                /* descriptors that the child keeps, under the same numbers */
    size_t keep_count;
    int output; /* where standard output and error go; -1: /dev/null */
    ProcessLimits limits;
    bool own_users; /* where the parent is root: in a user namespace of its own, with the same users, in
                                     * which the child can become another one and nested namespaces are forbidden */
} ProcessSpec;

/* Starts the child in a process group of its own. */
MUST_USE Status process_start(const ProcessSpec *spec, pid_t *child, Message *why);

typedef struct ProcessEnd {
    bool timed_out;  /* it was killed at the deadline */
    int exit_status; /* as a shell would say it: 0-255, 128 + signal */
    double seconds;  /* wall clock */
    bool truncated;  /* it wrote more than was kept */
} ProcessEnd;

/* Runs a child to its end, at most `seconds`, and keeps the first `keep_bytes` of what it writes (the rest is read and
 * thrown away, so that it neither blocks nor fills a disk). `spec->output` is ignored. On time-out, and at the end in
 * any case, its whole process group is killed. */
MUST_USE Status process_run(const ProcessSpec *spec, double seconds, size_t keep_bytes, Text *output, ProcessEnd *end,
                            Message *why);

/* Kills the child's process group and reaps the child; `*exit_status` (may be NULL) as in ProcessEnd. */
void process_kill(pid_t child, int *exit_status);

#endif
