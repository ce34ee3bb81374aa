/* judgings.h - the queue: what waits, what is being judged, and what workers made of it.
 *
 *     queued -> offered(n) -> running(n) -> recorded
 *
 * Attempts have the numbers 1, 2, ... An attempt that the judge failed leads back to queued; after MOST_FAILURES of them the
 * judging is held for a person. A change that names an attempt happens only while that attempt is the one that counts, so a
 * worker that was given up cannot disturb its successor. Every function is one transaction.  */
#ifndef SERVICE_STORE_JUDGINGS_H
#define SERVICE_STORE_JUDGINGS_H

#include "base/arena.h"
#include "base/status.h"
#include "leaderboard/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== case verdicts =============================================================================================== */

/* Verdicts of all cases, for points: of which problems they are wanted, and what gradings found.
 *
 * Only what counts points may read them: they say more of hidden cases than a student may know (docs/explanation/security.md). Whoever reads the
 * class.json of a store says of which problems it gives points for groups of cases; the queue asks workers accordingly. */

/* These problems, and no others. Writes nothing where that is so already. */
MUST_USE Status case_verdicts_want(Store *store, const char *const *problems, size_t count, Message *why);
MUST_USE Status case_verdicts_are_wanted(Store *store, const char *problem, bool *wanted, Message *why);

/* NULL in *text: there is none. */
MUST_USE Status case_verdicts_read(Store *store, int64_t judging, Arena *arena, const char **text, Message *why);

/* ==== host times ================================================================================================== */

/* Whether the machine of a run times as the machines of a board do.
 *
 * GPUs of one model in different hosts differ by a few percent, more than two good submissions do. In each sitting the
 * judge also times a reference solution, the anchor; its time says how fast the machine is, whichever host it was. A
 * run may be ranked on a board only if its anchor's time and the median of those of the board's newest ranked runs
 * differ by no more than both are uncertain by: HOST_TIMES_AGREE, which repeated medians of one code differ by on one
 * GPU (grader/judge/timing.h), and the drift of the anchor within either sitting. The first run that ranks sets a
 * board's machine.
 *
 * Runs on a simulated GPU have no anchor, and agree: their times do not depend on the host.
 * Units    milliseconds; agreement and drift are relative. */

#define HOST_TIMES_AGREE 0.01

typedef struct AnchorTime { /* of one reference solution in one sitting */
    const char *name;       /* "naive.cu"; NULL: none was timed */
    double ms;              /* mean of before and after */
    double drift;           /* between the two, relative */
} AnchorTime;

/* From Run.sitting; the name lives in `arena`. */
AnchorTime host_times_anchor(const char *sitting, Arena *arena);

/* Whether two machines agree by the times of the same anchor. */
bool host_times_agree(AnchorTime a, AnchorTime b);

/* `*rank_status` becomes "quarantined: " and why, where the judge would rank the run but its machine does not agree
 * with the board's. Lives in `arena`. */
MUST_USE Status host_times_review(Store *store, const Run *run, Arena *arena, const char **rank_status, Message *why);

/* ==== judgings ==================================================================================================== */

enum { MOST_FAILURES = 2, LIVE_BATCH = 1 };

typedef struct QueuedJob {
    int64_t id, submission, batch, attempt;
    const char *edition_before; /* of the open batch of its problem, if that is no batch of this judging; "": none */
    const char *state, *revision, *problem, *mode, *sizes, *file_name, *source_hash, *person, *worker;
    double position;
} QueuedJob;

/* Those in a state ("queued", "offered", "running", "held"), by position; at most `limit`. */
MUST_USE Status judgings_in_state(Store *store, const char *state, int64_t limit, Arena *arena, QueuedJob **judgings,
                                  size_t *count, Message *why);
/* How many no worker has taken yet. */
MUST_USE Status judgings_waiting(Store *store, int64_t *count, Message *why);
/* NOT_FOUND: there is none. */
MUST_USE Status judgings_read(Store *store, int64_t id, Arena *arena, QueuedJob *judging, Message *why);

typedef struct JudgingState {
    int64_t submission;
    const char *state, *verdict; /* verdict "" until it is recorded */
} JudgingState;

/* The state of ordinary submissions, from one number to another. */
MUST_USE Status judgings_states(Store *store, int64_t first, int64_t last, Arena *arena, JudgingState **states,
                                size_t *count, Message *why);
/* The last failure of the judge at a submission, in one line; "": none. */
MUST_USE Status judgings_last_failure(Store *store, int64_t submission, Arena *arena, const char **reason,
                                      Message *why);

/* A queued judging will be by this edition of its problem, which may have changed since the hand-in. */
MUST_USE Status judgings_renew(Store *store, int64_t id, const char *revision, const char *edition, Message *why);
/* From now on, hand-ins for the problem count by this edition. */
MUST_USE Status judgings_count_by(Store *store, const char *problem, const char *edition, const char *revision,
                                  Message *why);
/* queued -> offered to a worker (NULL: none); `*attempt` becomes the number of the new attempt, 0 where it is not queued any more. */
MUST_USE Status judgings_offer(Store *store, int64_t id, const char *worker, int64_t *attempt, Message *why);
/* Whether the attempt, that counts or not, was offered to the worker. */
MUST_USE Status judgings_was_given(Store *store, int64_t id, int64_t attempt, const char *worker, bool *given,
                                   Message *why);
/* offered -> running, where the attempt counts. */
MUST_USE Status judgings_start(Store *store, int64_t id, int64_t attempt, Message *why);
/* offered or running -> queued or held, where the attempt counts. `outcome` is "worker_failed", "lost", or
 * "given_back", which is no failure: somebody has stopped the worker, or it never learned of the attempt. *held: it waits for
 * a person now. */
MUST_USE Status judgings_fail(Store *store, int64_t id, int64_t attempt, const char *outcome, const char *reason,
                              bool *held, Message *why);
typedef struct Recording { /* what a worker made of an attempt; "" or NULL: there is none */
    int64_t judging, attempt;
    const char *verdict, *text, *device;
    double device_s;
    const Run *run; /* for the leaderboard; NULL: none. Its person, time and file become the submission's */
    const char *result, *explain, *report;
    const char *case_verdicts; /* case_verdicts.h */
} Recording;

typedef enum RecordingOutcome { RECORDED, RECORDED_BEFORE, TOO_LATE } RecordingOutcome;

/* offered or running -> recorded, with the run and the documents, where the attempt counts. The same recording again changes
 * nothing. One of another attempt is noted as late, and counts for nothing. The run of a rejudging becomes a document of the
 * kind "run", which does not rank. */
MUST_USE Status judgings_record(Store *store, const Recording *recording, RecordingOutcome *outcome, Message *why);

/* queued or held -> cancelled, with what a rejudging has in store for it; *done false: the judging that counts has begun or
 * ended. */
MUST_USE Status judgings_withdraw(Store *store, int64_t submission, bool *done, Message *why);
/* held -> queued, with no failures on record: a person has seen to it. */
MUST_USE Status judgings_release(Store *store, int64_t id, bool *done, Message *why);

/* A document of the judging that counts for a submission: "result", "explain" or "report"; NULL in *text: there is none. */
MUST_USE Status judgings_document(Store *store, int64_t judging, const char *kind, Arena *arena, const char **text,
                                  Message *why);

typedef struct QueueOutlook {
    int64_t ahead; /* waiting ones with a lower position, and those being judged */
    double mean_s; /* of a device, of the last judgings; 0: unknown */
} QueueOutlook;
MUST_USE Status judgings_outlook(Store *store, double position, QueueOutlook *outlook, Message *why);

/* ---- workers that get no more work ------------------------------------------------------------------------------- */

/* Whether the last two attempts of a worker, of different submissions, both failed. */
MUST_USE Status worker_fails(Store *store, const char *worker, bool *fails, Message *why);
/* No worker has this name; where it is drained, nobody gets work: the queue is paused. */
#define ALL_WORKERS "*"
MUST_USE Status worker_drain(Store *store, const char *worker, const char *reason, Message *why);
MUST_USE Status worker_undrain(Store *store, const char *worker, Message *why);
typedef struct Drained {
    const char *worker, *since_utc, *why;
} Drained;
/* NULL in *pause: the queue is not paused. */
MUST_USE Status queue_pause(Store *store, Arena *arena, const Drained **pause, Message *why);
MUST_USE Status workers_drained(Store *store, Arena *arena, Drained **drained, size_t *count, Message *why);

#endif
