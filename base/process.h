/* process.h - child processes: they inherit only what is named, their time and output are bounded, and they are
 * always reaped.
 *
 * Every child dies with the thread that started it (PR_SET_PDEATHSIG), so a killed grader leaves none behind. Start
 * children from a thread that lives at least as long.  */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include "base/scratch.h"
#include "base/status.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* ==== process times =============================================================================================== */

/* Times of processes, and limits on durations in which the time of a busy machine does not count.
 *
 * Source   proc(5), proc_pid_stat(5), and Documentation/scheduler/sched-stats.rst of Linux. */

/* The last one in a chain of processes that begins with `child` and in which each has started one other: what runs inside
 * of a sandbox. 0: unknown, or some process has more children. */
pid_t process_innermost(pid_t child);

/* Times of a process and of all processes that it has started. */
typedef struct ProcessTimes {
    double computed_s; /* processor time, also of processes that have ended and that their parents have waited for */
    double delayed_s;  /* for which threads that still live could have run, and others had the cores. Source:
                        * Documentation/scheduler/sched-stats.rst, "/proc/<pid>/schedstat". 0 where that is not known */
    bool is_runnable;  /* a thread runs or waits for a core now. Its present wait is in no sum yet */
} ProcessTimes;

ProcessTimes process_times(pid_t process);
/* Processor time of the process alone, with all its threads; 0: unknown. */
double process_computed_s(pid_t process);

/* A limit on a duration that a busy machine uses up for nobody: where the processes that are waited for could have run, and
 * others had the cores, it is put off, until the twentyfold is over. */
typedef struct ProcessDeadline {
    double seconds, most_computed_s; /* the limit; what computes for as long gets no more time */
    double start_s, at_s;            /* by now_s(): the beginning, the present end */
    double seen_s;                   /* when the processes were last looked at, */
    ProcessTimes seen;               /*   and what they had done by then */
} ProcessDeadline;

typedef enum DeadlineState {
    DEADLINE_AHEAD,
    DEADLINE_OVER,   /* they have computed for too long, or have waited for something else than a core */
    DEADLINE_STARVED /* the machine is too busy */
} DeadlineState;

/* `begun`: what the processes had done before; they may compute for `most_computed_s` more. */
ProcessDeadline process_deadline(double seconds, double most_computed_s, ProcessTimes begun);
double process_deadline_left(const ProcessDeadline *deadline);
/* `times`: what they have done now. */
DeadlineState process_deadline_look(ProcessDeadline *deadline, ProcessTimes times);
/* The judge's own failure after DEADLINE_STARVED. */
MUST_USE Status process_deadline_starved(const ProcessDeadline *deadline, Message *why);

/* ==== process ===================================================================================================== */

typedef struct ProcessLimits {  /* 0: as inherited */
    size_t address_space_bytes; /* RLIMIT_AS */
    size_t data_bytes;          /* RLIMIT_DATA: private writable memory, without reservations that nobody may access */
    size_t file_bytes;          /* RLIMIT_FSIZE */
    size_t stack_bytes;         /* RLIMIT_STACK, which limits on data leave out */
    unsigned cpu_seconds;       /* RLIMIT_CPU */
    unsigned processes;         /* RLIMIT_NPROC */
    unsigned open_files;        /* RLIMIT_NOFILE */
    bool no_core;               /* no core file is written, nor given to a program of the system */
} ProcessLimits;

typedef struct ProcessSpec {
    const char *const *argv;        /* argv[0] is a path; NULL at the end */
    const char *const *environment; /* "NAME=value", NULL at the end; NULL: an empty environment */
    const char *folder;             /* working folder; NULL: the current one */
    const int *keep;                /* descriptors that the child keeps, under the same numbers */
    size_t keep_count;
    int output; /* where standard output and error go; -1: /dev/null */
    int errors; /* where standard error goes instead; 0: nowhere else */
    ProcessLimits limits;
    /* If the parent is root: the child runs in a user namespace of its own with the same users, in which it can become
     * another user, and nested namespaces are forbidden. */
    bool own_users;
    /* The child is the first process of a namespace of processes, with a /proc of its own: when it ends, the kernel kills
     * every process that it has started, whatever these are doing at that moment. */
    bool own_processes;
    bool may_share_processes; /* where there is no such namespace, it does without: for the judge's own tools */
    const char *cgroup;       /* the control group that the child belongs to (scratch.h); NULL: that of the parent */
} ProcessSpec;

/* Starts the child in a process group of its own. */
MUST_USE Status process_start(const ProcessSpec *spec, pid_t *child, Message *why);

/* True if ProcessLimits.processes counts the processes of the child's user namespace, and not all of the user's. */
bool process_limit_is_per_namespace(void);

typedef struct ProcessEnd {
    bool timed_out;  /* it was killed at the deadline (ProcessDeadline) */
    int exit_status; /* as a shell reports it: 0 to 255, 128 + signal */
    double seconds;  /* wall clock */
    bool truncated;  /* it wrote more than was kept */
} ProcessEnd;

/* Runs a child to its end, for at most `seconds` (ProcessDeadline), and appends the first `keep_bytes` of its output; the
 * rest is read and discarded, so that the child neither blocks nor fills a disk. `spec->output` is ignored. At the end
 * or the time-out the whole process group is killed. */
MUST_USE Status process_run(const ProcessSpec *spec, double seconds, size_t keep_bytes, Text *output, ProcessEnd *end,
                            Message *why);

/* Kills the child's process group, for process_kill() to reap later. */
void process_begin_kill(pid_t child);
/* Kills the child's process group and reaps the child; `*exit_status` (may be NULL) as in ProcessEnd. */
void process_kill(pid_t child, int *exit_status);

/* ==== guard ======================================================================================================= */

/* A process none of whose descendants outlives it.
 *
 * A killed process leaves what its children have started: a compiler's driver its compiler, for example. So a guard stands
 * between: orphans come to it (PR_SET_CHILD_SUBREAPER), and it ends when all are gone. It ends as the process did.
 *
 * Everything ends when guard_stop() says so, or when the thread that called guard_start() does. */

/* The function of the guarded process, in a process group of its own: it executes a program or calls _exit(). It has
 * all descriptors of the caller; the guard has none but the first three. */
typedef void Guarded(void *context);

/* Starts both; the process id of the guard, for waitpid(); -1: errno says why not. */
pid_t guard_start(Guarded *guarded, void *context);

/* The same, and waits until all are gone. */
void guard_stop_and_wait(pid_t guard);

#endif
