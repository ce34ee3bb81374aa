/* head.h - hands what waits to the workers, and records what they make of it.
 *
 * Course    a thread of its own looks at the spool several times a second: it records results, starts the leases of new
 *           claims, gives up what is overdue, and offers the next ones in the queue. Each step is a transaction of the store
 *           before it is one of the spool, or can be repeated, so the head may be killed at any moment.
 * Leases    a claim is overdue when its counter has not changed for lease_s by the head's clock, or when the attempt takes
 *           longer than config.h allows. Times of files do not count: hosts have clocks of their own.
 * Idle      a worker that waits shows itself in the spool (spool.h). One whose counter has not changed for lease_s by
 *           the head's clock is gone, and its file is removed.
 * Failures  what the judge failed at is tried once more, then held for a person. A worker that fails at two different
 *           submissions in a row gets no more work until somebody says so.
 * Threads   all functions but head_stop() may be called from any.  */
#ifndef SERVICE_QUEUE_HEAD_H
#define SERVICE_QUEUE_HEAD_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/status.h"
#include "leaderboard/store.h"
#include "service/store/config.h"
#include "service/store/judgings.h"
#include "service/store/spool.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== head options ================================================================================================ */

/* What a head is told when it begins. */

typedef struct Head Head;

typedef struct HeadOptions {
    const char *state; /* folder of the store, which must be open already (service_store.h) */
    const char *spool;
    double lease_s;
    bool workers_come_later; /* only when something waits are workers started: that none is there is no trouble */
} HeadOptions;

/* ==== absences ==================================================================================================== */

/* Attempts whose files the spool does not show, and since when.
 *
 * A network file system shows files late: a job that a worker has just renamed can be in neither of its two folders for
 * a moment. So an attempt counts as gone only when no look has found it for a while.
 * Units    seconds of the head's own clock (base/clock.h). */

typedef struct Absence {
    SpoolId id;
    double since_s;
    bool is_seen; /* in the present look */
} Absence;

typedef struct MissingJobs {
    Absence *items;
    size_t count, capacity;
} MissingJobs;

/* Begins a look: nothing has been missed yet. */
void missing_jobs_begin(MissingJobs *absences);
/* Takes note that an attempt is missing; returns for how long it has been. */
double missing_jobs_note(MissingJobs *absences, SpoolId id, double now_s);
/* Forgets what was not missed in this look. */
void missing_jobs_end(MissingJobs *absences);
void missing_jobs_free(MissingJobs *absences);

/* ==== presences =================================================================================================== */

/* The workers that wait for a job, and since when their counters stand still.
 *
 * Units    seconds of the head's own clock (base/clock.h). */

typedef struct Presence {
    char worker[SPOOL_WORKER_BYTES + 1];
    char device[64], device_name[256]; /* "" where its file could not be read */
    bool is_held;
    int64_t count;
    double changed_s; /* when the counter last changed */
    bool is_seen;     /* in the present look */
} Presence;

typedef struct IdleWorkers {
    Presence *items;
    size_t count, capacity;
} IdleWorkers;

/* Begins a look: nobody has been seen yet. */
void idle_workers_begin(IdleWorkers *presences);
/* Takes note of a worker's file; returns for how long its counter has stood still. */
double idle_workers_see(IdleWorkers *presences, const SpoolIdle *idle, double now_s);
/* Forgets a worker that has been seen, since it is gone. */
void idle_workers_forget(IdleWorkers *presences, const char *worker);
/* Forgets who was not seen in this look; true: there were some. */
bool idle_workers_end(IdleWorkers *presences);
void idle_workers_free(IdleWorkers *presences);

/* ==== watch ======================================================================================================= */

/* The claims that the head knows of, and since when their counters stand still.
 *
 * Units    seconds of the head's own clock (base/clock.h). */

typedef struct Watched {
    SpoolClaim claim; /* as it was seen last */
    char step[64];    /* of the claim */
    double began_s;   /* when it was first seen */
    double changed_s; /* when its counter last changed */
    double limit_s;   /* longest that the attempt may take */
    bool is_seen;     /* in the present look */
} Watched;

typedef struct Watch {
    Watched *items;
    size_t count, capacity;
} Watch;

/* Begins a look: nothing has been seen yet. */
void watch_begin(Watch *watch);
/* Takes note of a claim; `*is_new`: it was not known. The pointer is valid until the next call. */
Watched *watch_see(Watch *watch, const SpoolClaim *claim, double now_s, bool *is_new);
/* Forgets what was not seen in this look; *gone becomes their number. */
void watch_end(Watch *watch, size_t *gone);
/* NULL: no worker is at it. */
const Watched *watch_find(const Watch *watch, int64_t judging);
bool watch_is_overdue(const Watched *watched, double now_s, double lease_s);
void watch_free(Watch *watch);

/* ==== head state ================================================================================================== */

/* What the files of this folder share: the head, and the steps of one look at the spool, in this order. */

struct Head {
    HeadOptions options;
    Store *store; /* a connection of the thread's own */
    pthread_t thread;
    pthread_mutex_t
        turn; /* held while the thread looks, and by who withdraws: an offer is either in both, store and spool, or in neither */
    pthread_mutex_t lock; /* for what follows */
    pthread_cond_t wake;
    bool stops, is_woken;
    uint64_t changes;
    Watch watch;
    MissingJobs absences;
    IdleWorkers presences; /* workers that are idle */
    bool lacks_workers;    /* something waits, and for a lease nobody has been there */
    double manned_s;       /* when somebody was last there */
    double patience_s;     /* so long an attempt must be missing from the spool before it counts as gone */
    double looked_s, looked_at_idle_s, reconciled_s, forgot_s;
    Message trouble;
};

/* Records what workers have reported. */
MUST_USE Status head_take_results(Head *head, Message *why);
/* Begins the leases of new claims, and ends those that are overdue. */
MUST_USE Status head_look_at_claims(Head *head, Message *why);
/* Takes note of the workers that wait, and forgets those that are gone. */
MUST_USE Status head_look_at_idle(Head *head, Message *why);
/* Mends what a head that was killed between a change of the store and one of the spool has left: the one without the other. Also
 * removes the editions that nothing needs. */
MUST_USE Status head_reconcile(Head *head, Message *why);
/* Offers what is next in the queue. */
MUST_USE Status head_offer(Head *head, Message *why);

/* An attempt has failed, by the judge and not by the submission. */
MUST_USE Status head_give_up(Head *head, SpoolId id, const char *worker, const char *outcome, const char *reason,
                             Message *why);
typedef struct Basis { /* what a judging is judged by */
    Deadlines deadlines;
    Digest revision, edition;
    bool is_kept; /* that is an edition in the spool, no longer the problem as it lies here */
} Basis;

/* While a rejudging of the problem is open, what is handed in counts by the edition that counted before, for which its files are
 * kept in the spool. Everything else is judged by the problem as it lies here now. */
MUST_USE Status head_basis(const Head *head, const QueuedJob *judging, Basis *basis, Message *why);
void head_note_change(Head *head);

/* ==== head ======================================================================================================== */

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
