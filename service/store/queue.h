/* queue.h - gives queued judgings to the workers that ask for one, and records their results.
 *
 * Course    a worker asks for work, and its request stays open until there is something for it. It says each second that it
 *           is at it, and reports the end. All of it is in the store (judgings.h) before the worker learns of it; what is here in
 *           memory besides is who waits, and when each worker was last heard of. A server that starts again finds the attempts
 *           under way in the store, and their leases begin anew.
 * Leases    an attempt is overdue when its worker has not been heard of for lease_s by the server's clock, or when it takes
 *           longer than config.h allows. One that its worker has never confirmed goes back, which is no failure.
 * Failures  what the judge failed at is tried once more, and elsewhere if somebody is there to take it; then it is held for a
 *           person. A worker that fails at two different submissions in a row gets no more work until somebody says so.
 * Threads   the server's alone; others read a copy (queue_seen()).  */
#ifndef SERVICE_STORE_QUEUE_H
#define SERVICE_STORE_QUEUE_H

#include "base/arena.h"
#include "base/json.h"
#include "base/status.h"
#include "leaderboard/store.h"
#include "service/http/http.h"
#include "service/store/work.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== queue ======================================================================================================= */

typedef struct Queue Queue;

/* What others may want to know at once. "judged": a submission has its verdict; "board": a run of it ranks; "held": the judge failed at
 * it, and a person must look. */
typedef struct QueueNews {
    const char *event;
    int64_t submission;
    const char *person, *problem, *mode;
    const char *what; /* the verdict, or why it is held */
} QueueNews;

typedef struct QueueOptions {
    const char *state; /* folder of the store, which holds the editions, too (grader/problem/problem_edition.h) */
    double lease_s;
    void (*tell)(void *context, const QueueNews *news); /* NULL: nobody wants to know */
    void *context;
    bool workers_come_later; /* only when something waits are workers started: that none is there is no trouble */
} QueueOptions;

/* The store and the texts of the options must outlive it. */
MUST_USE Status queue_start(const QueueOptions *options, Store *store, Queue **queue, Message *why);
void queue_stop(Queue *queue);
/* Gives work to those who wait for it, and ends leases. To be called often. */
void queue_tick(Queue *queue);
/* Looks at the queue now. To be called after every change of it. */
void queue_wake(Queue *queue);

/* Grows whenever anything about any judging may have changed. */
uint64_t queue_changes(const Queue *queue);
/* What keeps it from its work at present; "": nothing. */
const char *queue_trouble(const Queue *queue);
/* Withdraws a submission; *done false: a worker has it, or it has ended. */
MUST_USE Status queue_withdraw(Queue *queue, int64_t submission, bool *done, Message *why);
/* The files of an edition that a job names, as problem_edition_pack() has them. */
MUST_USE Status queue_edition(const Queue *queue, const char *edition, cJSON **files, Message *why);

/* ==== workers ===================================================================================================== */

/* What workers ask and say. `person` is whose token the worker has, 0: it belongs to the account that runs the server. A worker
 * speaks for the attempts alone that it was given. */

/* The answer will be {"job": {...}}, or {"reason": "..."}: "held": the worker gets no work, "too long": the queued ones
 * may take longer than most_s, "": the queue is empty. The worker loses what it had before. BUSY: another worker has the
 * name. */
MUST_USE Status queue_claim(Queue *queue, int64_t person, const WorkClaim *claim, EventStream **stream, Message *why);
/* *goes_on false: the attempt is no longer the worker's. */
MUST_USE Status queue_note_alive(Queue *queue, int64_t person, const WorkProgress *progress, bool *goes_on,
                                 Message *why);
/* Takes a WorkResult; *outcome: "recorded", "late", "noted" for an attempt that was not judged. The same again changes nothing.
 * BAD_INPUT: it cannot be, which is a failure of the worker. NOT_FOUND: the attempt was not given to this worker. */
MUST_USE Status queue_finish(Queue *queue, int64_t person, const JsonFile *file, const char **outcome, Message *why);

typedef struct QueueProgress {
    char step[64]; /* "" unknown */
    int done, total;
} QueueProgress;

/* A copy of what is known now, for the functions below on any thread. It lives as long as the arena. */
Queue *queue_seen(const Queue *queue, Arena *arena);

/* What the worker of a judging is doing; false: no worker has it. */
bool queue_progress(const Queue *queue, int64_t judging, QueueProgress *progress);

typedef struct IdleWorker {
    const char *name;
    const char *device, *device_name; /* as in result.json; "" unknown */
} IdleWorker;

/* The workers that wait for a job, in no order. */
void queue_idle_workers(const Queue *queue, Arena *arena, IdleWorker **workers, size_t *count);
/* A worker that fell silent in the middle of a job within the last minutes, and was not heard of since; "": none. */
const char *queue_silent_worker(const Queue *queue);
/* Whether a worker was heard of within the length of a lease. */
bool queue_hears(Queue *queue, const char *worker);
/* Whether something waits, and no worker has been there for lease_s. */
bool queue_lacks_workers(const Queue *queue);

#endif
