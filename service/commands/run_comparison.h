/* run_comparison.h - two results (result.json) of the same problem, case by case: both times, their ratio, and whether that is more
 * than noise; then the counters that changed most.
 *
 * Times can be compared only on one board: the same problem, revision, device and epoch. Where that is not so, `obstacle` says
 * why, and there are no ratios. Counters are sums over the timed cases that both results have; a share (occupancy) is their mean.
 * Owns     an arena; names point into the two results.  */
#ifndef SERVICE_COMMANDS_RUN_COMPARISON_H
#define SERVICE_COMMANDS_RUN_COMPARISON_H

#include "base/arena.h"
#include "base/json.h"
#include "base/status.h"
#include "base/text.h"
#include "grader/report/time_change.h"
#include "grader/terminal/terminal.h"
#include "service/commands/remote_submission.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== history table =============================================================================================== */

/* A person's submissions to one problem, oldest first, each with the change of time against the one before
 * and the best so far.
 *
 * Only times on the same device are compared. */

typedef struct HistoryEntry {
    const RemoteSubmission *submission;
    TimeChange change; /* against the newest before it that has a time */
    MeasuredTime best; /* so far; ms 0: none */
    bool is_best;      /* this one is */
} HistoryEntry;

/* The entries of `problem` among submissions that are listed newest first; in the arena, oldest first. */
HistoryEntry *history_of(const RemoteSubmission *submissions, size_t count, const char *problem, Arena *arena,
                         size_t *entry_count);

void history_table(const char *problem, const HistoryEntry *entries, size_t count, TerminalStyle style, Text *out);
/* A list of submissions (docs/reference/api.md), each with "change" and "best_ms". */
cJSON *history_json(const HistoryEntry *entries, size_t count);

/* ==== run comparison ============================================================================================== */

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

/* ==== run comparison report ======================================================================================= */

/* The comparison of two runs for people, and as JSON. */

void run_comparison_report(const RunComparison *comparison, TerminalStyle style, Text *out);
/* Adds everything to an object (docs/reference/formats.md). */
void run_comparison_put(const RunComparison *comparison, cJSON *object);

#endif
