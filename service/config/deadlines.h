/* deadlines.h - how long a judging may take, computed from its problem, and how long those wait who watch over it.
 *
 * Each number is larger than the one before it, so that who is nearer to a failure is the first to name it:
 *
 *     compile_s   the compiler of one file, by its own limits (compile_job.h)
 *     grading_s   the sum of all limits that a grading keeps by itself; on the worst machine, since an honest one takes a
 *                 hundredth of it
 *     worker_s    then the worker kills the grader: it no longer keeps its own limits
 *     head_s      then the head takes the job back although the worker's lease is renewed: the worker keeps none, either
 *
 * A worker that has died is found much sooner, by its lease, which is renewed while a grading runs and so has nothing to do
 * with how long that takes.
 *
 * Units    seconds of the clock on the wall.  */
#ifndef SERVICE_CONFIG_DEADLINES_H
#define SERVICE_CONFIG_DEADLINES_H

#include "grader/problem/problem.h"

/* How much of a submission is judged: samples, or sizes of one's own; hidden cases as well; timed cases as well. */
typedef enum JudgingMode { JUDGING_TRY, JUDGING_TEST, JUDGING_RANK, JUDGING_MODES } JudgingMode;

/* The longest that a grading waits for a GPU that others use. A worker sets CONVJUDGE_LOCK_SECONDS to it. */
enum { DEADLINE_DEVICE_WAIT_S = 300 };

/* A worker renews its lease so often, and a lease may not be shorter than a few of these. */
enum { DEADLINE_BEAT_S = 1, DEADLINE_LEAST_LEASE_S = 10 };

typedef struct Deadlines {
    double compile_s, grading_s, worker_s, head_s;
} Deadlines;

/* "try", "test", "rank". */
const char *judging_mode_name(JudgingMode mode);
/* Finds the mode with the name; JUDGING_MODES: there is none. */
JudgingMode judging_mode_named(const char *name);

/* Reads the problem's testcases and counts its reference solutions, whose times may have to be taken, too. */
MUST_USE Status deadlines_of(const Problem *problem, JudgingMode mode, double lease_s, Deadlines *deadlines,
                             Message *why);

/* The first pair that does not grow, in words; NULL: each is longer than the one before it, and the lease than the beats. */
const char *deadlines_fault(const Deadlines *deadlines, double lease_s);

#endif
