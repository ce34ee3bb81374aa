/* ranking.h - what a result is worth among others: brings result, store and percentiles together.  */
#ifndef GRADER_RANKING_RANKING_H
#define GRADER_RANKING_RANKING_H

#include "base/status.h"
#include "grader/ranking/ladder.h"
#include "grader/result/result.h"
#include "leaderboard/store.h"

/* CONVJUDGE_DB, else leaderboard/leaderboard.db beside the judge. */
MUST_USE Status ranking_open(StoreMode mode, Store **store, Message *why);

/* Where a result's time compares. */
Board ranking_board(const Result *result);

/* Fills in result->rank_status. `recorded`: it will be kept. */
void ranking_decide(Result *result, bool recorded);

MUST_USE Status ranking_record(Store *store, const Result *result, Message *why);

/* Ranks, percentiles and the ladder of an accepted result with a score. Times of reference solutions come from the
 * store, else from the times file of the device, else, where the run is `recorded`, they are taken now and stored.
 * `store` may be NULL where it is not. Trouble with a single reference solution is a warning. */
MUST_USE Status ranking_place(Store *store, bool recorded, const char *device, Progress *progress, Result *result,
                              Message *why);

/* The reference solutions of a problem, with what is known of their times on a device; `store` may be NULL. */
MUST_USE Status ranking_ladder(Store *store, const Problem *problem, const Board *board, Ladder *ladder, Message *why);

/* leaderboard/references/<device id>.json. */
MUST_USE Status ranking_times_path(const char *device_id, char *path, size_t size, Message *why);

#endif
