/* head.h - hands what waits to the workers, and records what they make of it.
 *
 * Course    a thread of its own looks at the spool several times a second: it records results, starts the leases of new
 *           claims, gives up what is overdue, and offers the next ones in the queue. Each step is a transaction of the store
 *           before it is one of the spool, or can be repeated, so the head may be killed at any moment.
 * Leases    a claim is overdue when its counter has not changed for lease_s by the head's clock, or when the attempt takes
 *           longer than deadlines.h allows. Times of files do not count: hosts have clocks of their own.
 * Idle      a worker that waits shows itself in the spool (spool_idle.h). One whose counter has not changed for lease_s by
 *           the head's clock is gone, and its file is removed.
 * Failures  what the judge failed at is tried once more, then held for a person. A worker that fails at two different
 *           submissions in a row gets no more work until somebody says so.
 * Threads   all functions but head_stop() may be called from any.  */
#ifndef SERVICE_HEAD_HEAD_H
#define SERVICE_HEAD_HEAD_H

#include "base/arena.h"
#include "base/status.h"
#include "leaderboard/store.h"
#include "service/head/head_options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Begins the thread. The texts of the options must outlive it. */
MUST_USE Status head_start(const HeadOptions *options, Head **head, Message *why);
void head_stop(Head *head);

typedef struct HeadProgress {
    char step[64]; /* "" unknown */
    int done, total;
    char worker[65];
} HeadProgress;

/* What the worker of a judging is doing; false: nobody is at it. */
bool head_progress(Head *head, int64_t judging, HeadProgress *progress);

typedef struct IdleWorker {
    const char *name;
    const char *device, *device_name; /* as in result.json; "" unknown */
    bool is_held;                     /* it claims nothing, whatever comes */
} IdleWorker;

/* The workers that wait for a job, in no order. A worker that has just taken one may still be among them. */
void head_idle_workers(Head *head, Arena *arena, IdleWorker **workers, size_t *count);
/* Whether something waits, and no worker has been there for lease_s. */
bool head_lacks_workers(Head *head);

/* Grows whenever anything about any judging may have changed. */
uint64_t head_changes(Head *head);
/* Withdraws a submission, whose judging that counts is `judging`, by a connection of the caller's own; *done false: a worker has
 * taken it, or it has ended. */
MUST_USE Status head_withdraw(Head *head, Store *store, int64_t submission, int64_t judging, bool *done, Message *why);
/* For whoever changes the queue from outside: look at it now. */
void head_wake(Head *head);

typedef struct HeadHealth {
    double since_s;  /* since the head last looked at the spool without trouble */
    Message trouble; /* "" */
} HeadHealth;
HeadHealth head_health(Head *head);

#endif
