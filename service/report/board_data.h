/* board_data.h - fills in a page's board from the leaderboard's database.  */
#ifndef SERVICE_REPORT_BOARD_DATA_H
#define SERVICE_REPORT_BOARD_DATA_H

#include "grader/problem/problem.h"
#include "leaderboard/store.h"
#include "service/pages/pages.h"

/* Everything but `submissions`, which the caller knows, allocated in `arena`. Names are those that the runs were recorded under. `store` may
 * be NULL: only reference solutions. */
MUST_USE Status board_data_read(Store *store, const Problem *problem, const Board *board, Arena *arena, BoardPage *page,
                                Message *why);

/* The boards of the problem's revision that somebody ranks on; none where `store` is NULL. */
MUST_USE Status board_data_list(Store *store, const Problem *problem, Arena *arena, Board **boards, size_t *count,
                                Message *why);

#endif
