/* known_times.h - the best times of each case on one board, which a new result is held against.  */
#ifndef GRADER_RANKING_KNOWN_TIMES_H
#define GRADER_RANKING_KNOWN_TIMES_H

#include "base/arena.h"
#include "base/status.h"
#include "grader/result/result.h"
#include "leaderboard/store.h"

#include <stddef.h>

typedef struct KnownTime { /* of one case */
    double best_ms;        /* of the reference solutions and of all runs that rank; 0: nothing is known */
    const char *of;        /* whose: "tiled.cu", "run 12" */
    double vetted_ms;      /* only of the reference solutions and of runs that a teacher accepted; 0: nothing */
} KnownTime;

/* One entry for each case of the result, in its order, allocated in `arena`. The reference solutions are those of
 * `result->ladder`. Runs that wait in quarantine, or that a teacher retracted or rejected, do not count. */
MUST_USE Status known_times_read(Store *store, const Result *result, Arena *arena, KnownTime **times, Message *why);

#endif
