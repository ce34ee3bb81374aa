/* head_state.h - what the files of this folder share: the head, and the steps of one look at the spool, in this order.  */
#ifndef SERVICE_HEAD_HEAD_STATE_H
#define SERVICE_HEAD_HEAD_STATE_H

#include "base/hash.h"
#include "base/status.h"
#include "leaderboard/store.h"
#include "service/config/deadlines.h"
#include "service/head/absences.h"
#include "service/head/head_options.h"
#include "service/head/presences.h"
#include "service/head/watch.h"
#include "service/spool/spool.h"
#include "service/store/judgings.h"

#include <pthread.h>

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
    Absences absences;
    Presences presences; /* workers that are idle */
    bool lacks_workers;  /* something waits, and for a lease nobody has been there */
    double manned_s;     /* when somebody was last there */
    double patience_s;   /* so long an attempt must be missing from the spool before it counts as gone */
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

#endif
