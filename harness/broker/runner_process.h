/* runner_process.h - the process that holds a submission, as the grader sees it: starts it in the sandbox, collects
 * what it prints, and says how it ended.  */
#ifndef HARNESS_BROKER_RUNNER_PROCESS_H
#define HARNESS_BROKER_RUNNER_PROCESS_H

#include "base/sandbox.h"
#include "base/status.h"
#include "base/text.h"
#include "harness/broker/control.h"
#include "harness/broker/solve_call.h"
#include "harness/compile/compile.h"
#include "harness/protocol/ring.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* ==== shared memory =============================================================================================== */

/* Anonymous memory that another process can map, too.
 *
 * It is sealed: nobody can change its size, so that no other process can make this one's next access a SIGBUS. */

typedef struct SharedMemory { /* {0} is none */
    uint8_t *base;            /* NULL: none */
    size_t bytes;
    int descriptor; /* closed on exec */
} SharedMemory;

/* Filled with zeros. `name` is for /proc/self/maps. */
MUST_USE Status shared_memory_new(const char *name, size_t bytes, SharedMemory *memory, Message *why);
/* Unmaps it, closes the descriptor, leaves none. Accepts none. */
void shared_memory_free(SharedMemory *memory);

/* ==== shared modules ============================================================================================== */

/* The GPU code of a submission in memory that its broker can map. */

/* Copies the modules into `modules`, and their places into the request. STATUS_UNSUPPORTED: they are more than
 * CONTROL_MAX_MODULES. */
MUST_USE Status shared_modules_new(const Compiled *compiled, ControlRequest *request, SharedMemory *modules,
                                   Message *why);

/* ==== runner process ============================================================================================== */

typedef struct RunnerProcess {
    pid_t pid;   /* 0: no process */
    int ended;   /* pidfd, readable once the process has ended; -1: none */
    int output;  /* read end of the pipe that the process prints into; -1: none */
    pid_t inner; /* the process in the sandbox; 0: not known yet */
    Sandbox *sandbox;
    Text printed;          /* raw bytes, at most 64 KiB */
    uint64_t printed_lost; /* bytes beyond that */
} RunnerProcess;

/* Starts a runner for a CUDA submission; `ring` is the descriptor of its ring. */
MUST_USE Status runner_process_start(const char *object_path, int ring, const CallLimits *limits, RunnerProcess *runner,
                                     Message *why);
/* Starts a runner for a CPU baseline; `memory` is the descriptor of the memory of cpu_memory.h. The process may have
 * threads, more than there are processors. */
MUST_USE Status runner_process_start_on_cpu(const char *object_path, int memory, const CallLimits *limits,
                                            RunnerProcess *runner, Message *why);
/* Reads what has been printed so far, so that the process never waits for room in the pipe. */
void runner_process_drain(RunnerProcess *runner);
/* Appends what has been printed, made printable, and the number of bytes lost, and forgets both. */
void runner_process_take_printed(RunnerProcess *runner, Text *printed, uint64_t *lost);
/* Returns for how long it has computed, and waited for a core. The first question comes before the object is loaded,
 * while the runner has no child processes that could be mistaken for it. */
HostClock runner_process_clock(RunnerProcess *runner, HostQuestion question);
enum { RUNNER_NOT_MADE = -1, RUNNER_OUT_OF_MEMORY = -2 };
/* Kills the process if it still runs, reaps it and frees everything. Sets `*exit_status` (may be NULL) as a shell
 * does, or to RUNNER_NOT_MADE: its sandbox could not be made, for which the submission can do nothing; or to
 * RUNNER_OUT_OF_MEMORY: the kernel ended it because it had more memory than its limit. */
void runner_process_stop(RunnerProcess *runner, int *exit_status);

/* Writes "solve() did not return: the process ended with exit status 0"; `doing` is "solve()" or "a constructor". */
void runner_process_explain_end(int exit_status, const char *doing, char *text, size_t size);
/* The note of a runner before a signal ended it (RingFault). It is not trusted: it only chooses among fixed words, and
 * a line. */
typedef struct RunnerFault {
    uint64_t address, place;
    bool is_on_stack, is_damage;
} RunnerFault;
RunnerFault runner_process_fault(const RingMemory *ring);
/* Writes that sentence into the report, with what host code did, and the line where it did that (compiled.h). */
void runner_process_explain_fault(const RunnerFault *fault, const char *object_path, int exit_status, const char *doing,
                                  CallReport *report);

#endif
