/* compile_ahead.h - compiles what waits in the queue before a device is free for it, and asks the simulated GPU for its second
 * opinion, on all cores and at the lowest priority.
 *
 * Each compilation is a process of its own, `convjudge compile`, in the same sandbox as that of a grading, which then finds the
 * result in the compile cache. It takes processor time that nobody else wants (SCHED_IDLE), and looks no further ahead in the
 * queue than the devices will get to soon, and leaves alone what an idle worker takes at once. Whatever goes wrong here costs nothing: the grading compiles itself then.  */
#ifndef SERVICE_COMMANDS_COMPILE_AHEAD_H
#define SERVICE_COMMANDS_COMPILE_AHEAD_H

#include "base/status.h"
#include "leaderboard/store.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct CompileAheadSpec {
    const char *device;
    const char *spool; /* where second opinions go, for devices that are to have one */
    size_t processes;  /* at a time */
    int log;           /* where they write; 0: standard error */
    bool unconfined;
} CompileAheadSpec;

typedef struct CompileAhead CompileAhead;

MUST_USE Status compile_ahead_start(const CompileAheadSpec *spec, CompileAhead **ahead, Message *why);
/* Starts the next ones. To be called often. */
void compile_ahead_tick(CompileAhead *ahead, Store *store);
void compile_ahead_stop(CompileAhead *ahead);

#endif
