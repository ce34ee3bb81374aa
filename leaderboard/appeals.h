/* appeals.h - runs that were timed again beside their neighbours on the board, with both figures of each.
 *
 * An appeal is a row of its own, with a link in the chain; it replaces no time and no rank. What follows from the times of its
 * rounds is computed in grader/ranking/appeal.h.  */
#ifndef LEADERBOARD_APPEALS_H
#define LEADERBOARD_APPEALS_H

#include "base/arena.h"
#include "base/status.h"
#include "leaderboard/percentile.h"
#include "leaderboard/store.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct AppealedTime { /* of the run, or of one of its neighbours */
    int64_t run;
    const char *person;
    MeasuredTime first;      /* the run's own figure */
    const double *rounds_ms; /* [round_count]: each time of the new sitting; 0: it was not accepted */
    size_t round_count;
    const char *verdict; /* "Accepted", or of the round that failed */
    MeasuredTime again;  /* of the new sitting; ms 0: it has no time */
    bool agrees;         /* the two differ by no more than their uncertainties */
    size_t first_rank;   /* among those in this list, by their first figures */
    size_t again_rank;   /* the same by the new ones; 0: no time */
} AppealedTime;

typedef struct Appeal {
    int64_t id, run;
    const char *time_utc; /* "2026-01-31T12:00:00Z" */
    const char *person;   /* who had it timed again */
    const char *why;      /* "": nobody said */
    const char *driver, *toolkit, *judge, *sandbox;
    size_t rank;         /* on the board as it was; 0: the run did not rank */
    size_t rank_again;   /* as the new figures alone would have it; 0: there is none */
    AppealedTime *times; /* in the order of the first figures; one is of `run` */
    size_t count;
} Appeal;

/* The run's own time; NULL: the list lacks it, which appeals_add() refuses. */
const AppealedTime *appeal_own_time(const Appeal *appeal);

/* NOT_FOUND: there is no such run. `*id` (may be NULL) becomes the number of the appeal. */
MUST_USE Status appeals_add(Store *store, const Appeal *appeal, int64_t *id, Message *why);

/* The appeals of a run, oldest first, allocated in `arena`; of all runs if `run` is 0. BAD_INPUT: a row that nobody wrote. */
MUST_USE Status appeals_of_run(Store *store, int64_t run, Arena *arena, Appeal **appeals, size_t *count, Message *why);
/* The appeals of all runs of a board, oldest first. */
MUST_USE Status appeals_of_board(Store *store, const Board *board, Arena *arena, Appeal **appeals, size_t *count,
                                 Message *why);

/* An appeal as docs/formats.md shows it. */
cJSON *appeal_json(const Appeal *appeal);

#endif
