/* ranking.h - where a result stands among others: combines the result, the store and the percentiles.  */
#ifndef GRADER_RANKING_RANKING_H
#define GRADER_RANKING_RANKING_H

#include "base/arena.h"
#include "base/status.h"
#include "grader/judge/judge.h"
#include "grader/judge/result.h"
#include "grader/problem/problem.h"
#include "leaderboard/store.h"

#include <stdbool.h>
#include <stddef.h>

/* ==== reference times ============================================================================================= */

/* Takes the times of a problem's reference solutions on one device. */

/* Times every reference solution, or with `only_missing` those of which neither the database nor
 * leaderboard/references/<device id>.json has a time for this revision, epoch and source. Stores the times in the
 * database, and shows each one when it is known.
 * `export_times`: also writes the problem's part of leaderboard/references/<device id>.json and prints the name of
 * that file. BAD_INPUT if a reference solution is not accepted. */
MUST_USE Status reference_times_take(const Problem *problem, const char *device, bool only_missing, bool export_times,
                                     Message *why);

/* ==== known times ================================================================================================= */

/* The best times of each case on one board, which a new result is held against. */

typedef struct KnownTime { /* of one case */
    double best_ms;        /* of the reference solutions and of all runs that rank; 0: nothing is known */
    const char *of;        /* whose: "tiled.cu", "run 12" */
    double vetted_ms;      /* only of the reference solutions and of runs that a teacher accepted; 0: nothing */
} KnownTime;

/* One entry for each case of the result, in its order, allocated in `arena`. The reference solutions are those of
 * `result->reference_times`. Runs that wait in quarantine, or that a teacher retracted or rejected, do not count. */
MUST_USE Status known_times_read(Store *store, const Result *result, Arena *arena, KnownTime **times, Message *why);

/* ==== references ==================================================================================================== */

/* The reference solutions of a problem, solutions/<id>/accepted/, and their times on one board. */

typedef struct Reference {
    ReferenceTime time; /* under the file's name; time.ms 0: not known yet */
    Submission submission;
} Reference;

typedef struct References {
    const Problem *problem; /* owned by the caller */
    Reference *solutions;   /* sorted by name */
    size_t count;
    Arena arena;
} References;

/* Reads the source files, but no times. A problem without the folder has no references. */
MUST_USE Status references_load(const Problem *problem, References *references, Message *why);
/* Does the same for programs of others, in solutions/<id>/rivals/. */
MUST_USE Status references_load_rivals(const Problem *problem, References *references, Message *why);
/* Does the same for the plain C files in solutions/<id>/cpu_baselines/. */
MUST_USE Status references_load_baselines(const Problem *problem, References *references, Message *why);
void references_free(References *references);

/* Takes over each time that belongs to a reference without one, if its source is still the one that was timed. */
void references_take(References *references, const ReferenceTime *times, size_t count);

/* Makes references from times alone, for a set without any: a student's kit has the times but not the sources. */
void references_adopt(References *references, const ReferenceTime *times, size_t count);

/* The reference solution that shows whether the device is steady: of those whose stored time is certain to 1 % the one with the
 * median time (of an even number, the faster of the middle two); of all, if none is. Host code that works in each call makes a time
 * uncertain, whatever the device does. NULL if none has a time. */
const Reference *references_anchor(const References *references);

/* The references with a time, fastest first, allocated in `arena`. */
ReferenceTime *references_times(const References *references, Arena *arena, size_t *count);

/* ==== ranking ===================================================================================================== */

/* CONVJUDGE_DB, else leaderboard/leaderboard.db beside the judge. */
MUST_USE Status ranking_open(StoreMode mode, Store **store, Message *why);

/* The board of a problem on a device of this machine, which is described in `info`. */
MUST_USE Status ranking_find_board(const Problem *problem, const char *device, DeviceInfo *info, Board *board,
                                   Message *why);

/* Fills in result->rank_status. `recorded`: the run will be recorded. */
void ranking_decide(Result *result, bool recorded);

/* Also keeps the source, and fills in the result's run. */
MUST_USE Status ranking_record(Store *store, const char *source, Result *result, Message *why);

/* Fills in the references of an accepted result with a score, and its percentile among the reference solutions. Their times
 * come from the store, else from the times file of the device; if the run is `recorded`, missing ones are taken now and
 * stored. `store` may be NULL if it is not. A failure of a single reference solution is a warning. */
MUST_USE Status ranking_compare(Store *store, bool recorded, const char *device, Progress *progress, Result *result,
                                Message *why);

/* Fills in rank and percentile in the class, after a run that ranks was recorded. */
MUST_USE Status ranking_place(Store *store, Result *result, Message *why);

/* Reads the reference solutions of a problem, with their known times on a device; `store` may be NULL. */
MUST_USE Status ranking_references(Store *store, const Problem *problem, const Board *board, References *references,
                                   Message *why);

#endif
