/* ranking.h - where a result stands among others: combines the result, the store and the percentiles.  */
#ifndef GRADER_RANKING_RANKING_H
#define GRADER_RANKING_RANKING_H

#include "base/status.h"
#include "grader/ranking/ladder.h"
#include "grader/result/result.h"
#include "leaderboard/store.h"

/* CONVJUDGE_DB, else leaderboard/leaderboard.db beside the judge. */
MUST_USE Status ranking_open(StoreMode mode, Store **store, Message *why);

/* The board that a result belongs to: times compare only within one. */
Board ranking_board(const Result *result);

/* Fills in result->rank_status. `recorded`: the run will be recorded. */
void ranking_decide(Result *result, bool recorded);

/* Also keeps the source, and fills in the result's run. */
MUST_USE Status ranking_record(Store *store, const char *source, Result *result, Message *why);

/* Fills in the ladder of an accepted result with a score, and its percentile among the reference solutions. Their times
 * come from the store, else from the times file of the device; if the run is `recorded`, missing ones are taken now and
 * stored. `store` may be NULL if it is not. A failure of a single reference solution is a warning. */
MUST_USE Status ranking_compare(Store *store, bool recorded, const char *device, Progress *progress, Result *result,
                                Message *why);

/* Fills in rank and percentile in the class, after a run that ranks was recorded. */
MUST_USE Status ranking_place(Store *store, Result *result, Message *why);

/* Reads the reference solutions of a problem, with their known times on a device; `store` may be NULL. */
MUST_USE Status ranking_ladder(Store *store, const Problem *problem, const Board *board, Ladder *ladder, Message *why);

/* leaderboard/references/<device id>.json. */
MUST_USE Status ranking_times_path(const char *device_id, char *path, size_t size, Message *why);

#endif
