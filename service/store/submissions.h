/* submissions.h - what people submitted, with what became of it so far.
 *
 * A submission is acknowledged when submissions_hand_in() returns, and survives any crash from then on. Its key is the
 * client's: the same person and key give the same submission again, and it cannot be used for anything else.
 *
 * Order    one number for each waiting judging, lower first:
 *
 *              max(the person's last number + 1, received + penalty_s x the person's submissions within RECENT_S)
 *
 *          in seconds since 1970. So one who hands in often is put behind those who do not, never refused; and nobody
 *          overtakes himself. One who has used up the day's budget is put behind everybody of that day.  */
#ifndef SERVICE_STORE_SUBMISSIONS_H
#define SERVICE_STORE_SUBMISSIONS_H

#include "base/arena.h"
#include "base/status.h"
#include "leaderboard/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RECENT_S = 3600, DAY_S = 24 * 3600 };

/* How much a person may submit; 0: no limit. Days are the last 24 hours. */
typedef struct HandInLimits {
    int64_t waiting; /* submissions that are not judged yet */
    int64_t submissions_a_day, bytes_a_day;
} HandInLimits;

typedef struct HandInRefusal { /* by a limit */
    const char *limit;         /* its key: "waiting"; NULL: none refuses it */
    int64_t most, next_s;      /* next_s since 1970: when the next one is possible; 0: when something is judged */
} HandInRefusal;

typedef struct OrderRule {
    double penalty_s;         /* for each recent submission */
    double rank_budget_s;     /* of a device, for each person and day; 0: no limit */
    double practice_budget_s; /* the same for the modes try and test */
    HandInLimits limits;
    HandInRefusal *refusal; /* filled in where STATUS_BUSY comes back; NULL without limits */
} OrderRule;

typedef struct HandIn { /* checked by the caller: api/ */
    int64_t person;
    const char *key, *problem, *revision, *mode, *sizes, *file_name, *source, *source_hash;
    const char *origin; /* the file in the export of the system where it was handed in; NULL: it is handed in here */
    const char *origin_person_id; /* of its author there; with an origin */
    int64_t origin_received_s;    /* when that system got it, since 1970; 0: unknown */
    bool origin_marked_late;      /* by that system */
    int64_t sender;               /* a person who hands it in for its author; 0: the author does */
} HandIn;

typedef struct StoredSubmission { /* with the judging that counts; grader/problem has a Submission: a file */
    int64_t id, person_id, judging;
    const char *person, *problem, *revision, *mode, *sizes, *file_name, *source_hash, *received_utc;
    const char *origin; /* as in HandIn; "": it was handed in here, and the next ones say nothing */
    const char *origin_person_id;
    int64_t handed_in_s;       /* since 1970, to whichever system it was handed in first; 0: unknown */
    int64_t origin_received_s; /* 0: unknown, and received_utc is only the moment when it was taken in */
    bool origin_marked_late;
    const char *state;          /* of the judging */
    const char *verdict, *text; /* "" until it is recorded */
    const char *device;         /* id; "" */
    double position;
    int64_t attempt;
    int64_t run;             /* 0: nothing is in the leaderboard, and the next are empty */
    const char *rank_state;  /* of run_states: "ranked", "quarantined", ... */
    const char *rank_status; /* "ranked", or why not */
    const char *device_name;
    int epoch;
    MeasuredTime time;
} StoredSubmission;

/* Adds submission and judging in one transaction. `*is_new` false: the same was handed in with this key before, and `*id` is that
 * submission's. BAD_INPUT: the key was used for something else, and `*id` is that one's. BUSY: a limit
 * refuses it. */
MUST_USE Status submissions_hand_in(Store *store, const HandIn *hand_in, const OrderRule *rule, int64_t *id,
                                    bool *is_new, Message *why);

/* The time of receipt is what the system's clock says, and that clock may be wrong. A jump of it, and a receipt in the future, is an
 * alarm until somebody has corrected the receipts or trusts the clock. */
typedef struct ClockWatch {
    bool has_looked;
    double difference_s, looked_s;
    double jumped_s;                   /* since the clock was trusted */
    int64_t last_before, newest;       /* submissions: the last one before the first jump, and the newest one */
    int64_t first_future, last_future; /* 0: none */
} ClockWatch;

/* To be called often; a jump goes into the log and the audit. */
MUST_USE Status clock_watch_look(ClockWatch *watch, Store *store, Message *why);
/* Says what is wrong with the clock; false: nothing. */
bool clock_watch_alarm(const ClockWatch *watch, char *text, size_t size);
void clock_watch_trust(ClockWatch *watch);
/* Moves the receipts of some submissions, which the audit notes. BAD_INPUT: there are none, or they would be in the future. */
MUST_USE Status submissions_correct_receipts(Store *store, int64_t first, int64_t last, int64_t by_s,
                                             const char *person, const char *reason, Message *why);

/* NOT_FOUND: no submission has this number. */
MUST_USE Status submissions_read(Store *store, int64_t id, Arena *arena, StoredSubmission *row, Message *why);
/* The submission that a run of the leaderboard comes from; id 0: none. */
MUST_USE Status submissions_of_run(Store *store, int64_t run, int64_t *id, Message *why);

typedef struct SubmissionFilter { /* {.limit = N}: the newest of all */
    const char *problem;          /* NULL: all */
    int64_t person;               /* 0: all */
    int64_t before;               /* number; 0: from the newest */
    const char *verdict;          /* NULL: any */
    int64_t since_s;              /* received then or later, since 1970; 0: ever */
    double most_ms;               /* with a time of at most this; 0: any */
    int64_t limit;
} SubmissionFilter;
MUST_USE Status submissions_list(Store *store, const SubmissionFilter *filter, Arena *arena, StoredSubmission **rows,
                                 size_t *count, Message *why);

/* A person's for the ranking of a problem that were accepted, the newest `most` first, without runs that a teacher has hidden or has
 * still to look at. */
MUST_USE Status submissions_accepted(Store *store, const char *problem, int64_t person, int64_t most, Arena *arena,
                                     StoredSubmission **rows, size_t *count, Message *why);

/* Removes the tries that were received before a moment and have ended, with their sources and reports: nothing of a try is
 * kept. The newest submission stays whatever it is, since the numbers count on from it. */
MUST_USE Status submissions_forget_tries(Store *store, int64_t before_s, Message *why);

/* Who has handed it in for its author; 0: nobody. */
MUST_USE Status submissions_sender(Store *store, int64_t submission, int64_t *person, Message *why);

/* NULL in *source: the database does not have it. */
MUST_USE Status submissions_source(Store *store, const char *source_hash, Arena *arena, const char **source,
                                   Message *why);

#endif
