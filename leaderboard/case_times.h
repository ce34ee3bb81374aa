/* case_times.h - the times of the timed cases in the `cases` of a result.json, as runs and reference times keep them.  */
#ifndef LEADERBOARD_CASE_TIMES_H
#define LEADERBOARD_CASE_TIMES_H

#include "base/arena.h"
#include "base/status.h"
#include "leaderboard/percentile.h"

#include <stddef.h>

typedef struct CaseTime {
    const char *name;
    MeasuredTime time;
} CaseTime;

/* Reads the cases that have a time from a JSON list, in its order, into `arena`; messages call it `path`. NULL is an
 * empty list. */
MUST_USE Status case_times_read(const char *path, const char *cases, Arena *arena, CaseTime **times, size_t *count,
                                Message *why);

/* The time of the case with this name; NULL: none. */
const MeasuredTime *case_times_find(const CaseTime *times, size_t count, const char *name);

#endif
