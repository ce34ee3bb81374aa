/* standing.h - the class in order: each person's best ranked run on one board.
 *
 * Runs of the same machine code are pooled, whoever sent them: their time is the median of all of them, so sending a
 * file again cannot fish for luck. A person's best is the fastest of the codes that the person has sent.  */
#ifndef LEADERBOARD_STANDING_H
#define LEADERBOARD_STANDING_H

#include "base/arena.h"
#include "leaderboard/percentile.h"
#include "leaderboard/store.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct Standing {
    const char *person;
    const char *time_utc;  /* of the person's latest run of that code */
    MeasuredTime time;     /* pooled */
    size_t rank;           /* 1 + the number of people who are faster beyond doubt; ties share a rank */
    Percentile percentile; /* among the others */
} Standing;

/* Fastest first. The array lives in `arena`, its strings are those of `runs`. */
Standing *standings_of(const StoredRun *runs, size_t run_count, Arena *arena, size_t *count);

/* The pooled time of one machine code; false where no run has it. */
bool pooled_time(const StoredRun *runs, size_t run_count, const char *machine_code, MeasuredTime *pooled);

#endif
