/* runner_process.h - the runner's process as the grader sees it: started in the sandbox, its output collected, its end put into
 * words.  */
#ifndef HARNESS_SESSION_RUNNER_PROCESS_H
#define HARNESS_SESSION_RUNNER_PROCESS_H

#include "base/status.h"
#include "base/text.h"
#include "harness/control/solve_call.h"
#include "harness/sandbox/sandbox.h"

#include <stdint.h>
#include <sys/types.h>

typedef struct RunnerProcess { /* {.pid = 0} is none */
    pid_t pid;
    int ended;  /* a pidfd: readable when the process has ended */
    int output; /* the end of a pipe that the process writes to */
    Sandbox *sandbox;
    Text printed; /* as it came, at most 64 KiB */
    uint64_t printed_lost;
} RunnerProcess;

MUST_USE Status runner_process_start(const char *object_path, int ring, const CallLimits *limits, RunnerProcess *runner,
                                     Message *why);
/* The same for what runs on the CPU itself: `memory` is what cpu_memory.h describes, and threads are allowed, more than
 * there are processors. */
MUST_USE Status runner_process_start_on_cpu(const char *object_path, int memory, const CallLimits *limits,
                                            RunnerProcess *runner, Message *why);
/* Takes what has been written so far, so that the writer never blocks. */
void runner_process_drain(RunnerProcess *runner);
/* Appends what was printed, made printable, and forgets it. */
void runner_process_take_printed(RunnerProcess *runner, Text *printed, uint64_t *lost);
/* Kills it if need be, reaps it, gives everything back. `*exit_status` (may be NULL): as a shell says it. */
void runner_process_stop(RunnerProcess *runner, int *exit_status);

/* "solve() did not return: the process ended with exit status 0"; `doing` is "solve()" or "a constructor". */
void runner_process_explain_end(int exit_status, const char *doing, char *text, size_t size);

#endif
