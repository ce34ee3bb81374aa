/* run_comparison.h - two results (result.json) of the same problem, case by case: both times, their ratio, and whether that is more
 * than noise; then the counters that changed most.
 *
 * Times can be compared only on one board: the same problem, revision, device and epoch. Where that is not so, `obstacle` says
 * why, and there are no ratios. Counters are sums over the timed cases that both results have; a share (occupancy) is their mean.
 * Owns     an arena; names point into the two results.  */
#ifndef SERVICE_CLIENT_RUN_COMPARISON_H
#define SERVICE_CLIENT_RUN_COMPARISON_H

#include "base/arena.h"
#include "base/json.h"
#include "base/status.h"
#include "grader/report/time_change.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ComparedCase {
    const char *name;
    const char *verdicts[2]; /* NULL: this result has no such case */
    MeasuredTime times[2];   /* ms 0: none */
    const char *limiters[2]; /* of the longest kernel; NULL: unknown */
    TimeChange change;
} ComparedCase;

typedef struct ComparedCounter {
    const char *name;
    double values[2];
    size_t cases; /* that have it in both results */
} ComparedCounter;

typedef struct RunComparison {
    int64_t runs[2];
    const char *verdicts[2];
    const char *problem, *device_name;
    bool modelled;
    char obstacle[300]; /* "": the times can be compared */
    MeasuredTime scores[2];
    TimeChange change;
    ComparedCase *cases; /* in the order of the first result */
    size_t case_count;
    ComparedCounter *counters; /* largest change first */
    size_t counter_count;
    Arena arena;
} RunComparison;

/* `results[0]` is that of `runs[0]`, the one before. Free the comparison in any case. */
MUST_USE Status run_comparison_make(const JsonFile results[2], const int64_t runs[2], RunComparison *comparison,
                                    Message *why);
void run_comparison_free(RunComparison *comparison);

#endif
