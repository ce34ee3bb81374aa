/* batches.h - rejudgings: what was handed in is judged again, and only then somebody decides whether that counts.
 *
 *     open -> applied (batch_apply.h), or dropped
 *
 * The judgings of a batch wait behind everything that is handed in. Nobody sees what comes of them, and it does not rank, until
 * the batch is applied. A problem has one open batch at most; what is handed in for its ranking meanwhile is judged twice: as
 * itself, by the edition of the problem that counted before, and in the batch, by that of the batch.
 *
 * Errors   NOT_FOUND: there is no such batch. BAD_INPUT: it cannot be done, with the reason.  */
#ifndef SERVICE_STORE_BATCHES_H
#define SERVICE_STORE_BATCHES_H

#include "base/arena.h"
#include "base/status.h"
#include "leaderboard/rulings.h"
#include "leaderboard/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== batch table ================================================================================================= */

/* What a rejudging would change: one row for each submission.
 *
 * Before   the newest applied judging of an older batch, with its run. Once the batch is applied, the run is a retracted one.
 * After    what the batch has found so far. Its run is in no table until the batch is applied.
 * Ranks    that of the submission's author, on the board of each run: as it is now, and as it would be if the batch were
 *          applied now. Only while the batch is open. */

typedef struct BatchSide { /* a judging, before or after */
    int64_t judging;
    const char *state;   /* of the judging: "recorded", ... */
    const char *verdict; /* ""; until it is recorded */
    int64_t run_id;      /* 0: in no table */
    const Run *run;      /* NULL: none */
    bool ranks;
    size_t rank; /* 0: none */
} BatchSide;

typedef struct BatchRow {
    int64_t submission;
    const char *person, *file_name, *received_utc;
    BatchSide before, after;
    const char *run_state; /* of the run before: "ranked", "retracted", ...; "": there is none */
    Ruling ruling;         /* in force on the run before, which holds for the new one as well; `run` 0: none */
} BatchRow;

/* Sorted by submission. */
MUST_USE Status batch_table(Store *store, int64_t batch, Arena *arena, BatchRow **rows, size_t *count, Message *why);

/* Whether both have times that differ by more than noise (store.h). */
bool batch_row_time_differs(const BatchRow *row);
/* Whether the batch has judged the submission, and found another verdict, another time or another rank. */
bool batch_row_changes(const BatchRow *row);

/* ==== batches ===================================================================================================== */

typedef struct BatchRequest {
    const char *problem, *revision; /* to judge under */
    const char *edition;            /* of the problem now; NULL: unknown */
    const char *reason;             /* not empty */
    const char *since_utc;          /* of the receipt: "2026-01-31T12:00:00Z"; "": all */
    const int64_t *submissions;     /* only these; a number that comes again counts once */
    size_t submission_count;        /* 0: all */
} BatchRequest;

typedef struct BatchSkip { /* a submission that is not judged again */
    int64_t submission;
    const char *why; /* "its author has withdrawn it" */
} BatchSkip;

/* Only submissions that were made for the ranking of the problem count. */
MUST_USE Status batches_open(Store *store, const BatchRequest *request, const char *person, Arena *arena,
                             int64_t *batch, BatchSkip **skips, size_t *skip_count, Message *why);

/* Adds a new submission to the open batch of its problem, if there is one. In the caller's transaction. */
MUST_USE Status batches_take_in(Store *store, int64_t submission, const char *problem, Message *why);

/* The same as the store keeps it, sorted by submission; each number once. */
MUST_USE Status batches_skips(Store *store, int64_t batch, Arena *arena, BatchSkip **skips, size_t *count,
                              Message *why);

typedef struct Batch {
    int64_t id;
    const char *problem, *revision, *reason, *state, *created_utc;
    const char *edition, *edition_before; /* service_4.sql; "": unknown, or none */
    bool is_mixed;    /* the problem has changed meanwhile: not all judgings are of that revision and edition */
    int64_t judgings; /* all of them; each of the following is a part */
    int64_t recorded, waiting, running, held, cancelled;
    int64_t
        spared; /* of the waiting ones: handed in meanwhile, and judged as themselves by this edition already. The batch
                       can be applied without them */
} Batch;

MUST_USE Status batches_read(Store *store, int64_t id, Arena *arena, Batch *batch, Message *why);
/* All of them, newest first. */
MUST_USE Status batches_list(Store *store, Arena *arena, Batch **batches, size_t *count, Message *why);
/* The revision of a problem whose boards people see: `now`, but while a batch is open that of before it. */
MUST_USE Status batches_board_revision(Store *store, const char *problem, const char *now, Arena *arena,
                                       const char **revision, Message *why);
/* The editions whose files may be asked for: those of open batches and of attempts under way, and of each problem the one that counts
 * now, by which hand-ins will count while its next batch is open. */
MUST_USE Status batches_editions(Store *store, Arena *arena, const char ***editions, size_t *count, Message *why);
/* BAD_INPUT: the batch is no longer open. */
MUST_USE Status batch_expect_open(const Batch *batch, Message *why);

/* open -> dropped: nothing that anybody sees has changed. */
MUST_USE Status batches_drop(Store *store, int64_t id, const char *person, Message *why);

#endif
