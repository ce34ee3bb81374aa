/* process_times.h - what processes have done so far, and limits on durations that a busy machine uses up for nobody.
 *
 * Source   proc(5), proc_pid_stat(5), and Documentation/scheduler/sched-stats.rst of Linux.  */
#ifndef HARNESS_SANDBOX_PROCESS_TIMES_H
#define HARNESS_SANDBOX_PROCESS_TIMES_H

#include "base/status.h"

#include <stdbool.h>
#include <sys/types.h>

/* The last one in a chain of processes that begins with `child` and in which each has started one other: what runs inside
 * of a sandbox. 0: unknown, or some process has more children. */
pid_t process_innermost(pid_t child);

/* What a process and all that it has started have done so far. */
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

#endif
