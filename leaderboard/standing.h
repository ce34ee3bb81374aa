/* standing.h - the class in order: each person's best ranked run on one board.
 *
 * A person's runs of the same code, for device and host, are pooled: their time is the median of all, so that nobody
 * gains by submitting a file again and again. Nobody's runs are pooled with another person's, who could spoil them. A
 * person's best is the fastest code that the person has submitted.  */
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
    size_t rank;           /* 1 + the number of people who are significantly faster; ties share a rank */
    Percentile percentile; /* among the others */
    int64_t run;           /* number of the latest run of that code */
} Standing;

/* Sorted with the fastest first. The array lives in `arena`; its strings are those of `runs`. */
Standing *standings_of(const StoredRun *runs, size_t run_count, Arena *arena, size_t *count);

/* The pooled time of one code of one person; false if that person has no run of it. */
bool pooled_time(const StoredRun *runs, size_t run_count, const char *person, const char *machine_code,
                 MeasuredTime *pooled);

#endif
