/* guard.h - a process none of whose descendants outlives it.
 *
 * A killed process leaves what its children have started: a compiler's driver its compiler, for example. So a guard stands
 * between: orphans come to it (PR_SET_CHILD_SUBREAPER), and it ends when all are gone. It ends as the process did.
 *
 * Everything ends when guard_stop() says so, or when the thread that called guard_start() does.  */
#ifndef HARNESS_SANDBOX_GUARD_H
#define HARNESS_SANDBOX_GUARD_H

#include <sys/types.h>

/* What the guarded process does, in a process group of its own: it executes a program or calls _exit(). It has all descriptors of
 * the caller; the guard has none but the first three. */
typedef void Guarded(void *context);

/* Starts both; the process id of the guard, for waitpid(); -1: errno says why not. */
pid_t guard_start(Guarded *guarded, void *context);

/* Begins to end everything. */
void guard_stop(pid_t guard);
/* The same, and waits until all are gone. */
void guard_stop_and_wait(pid_t guard);

#endif
