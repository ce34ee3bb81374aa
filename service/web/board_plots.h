/* board_plots.h - the times on one board as pictures, each with its numbers in a table: all times with the place of a
 * submission among them, the reference solutions, and the best time over the weeks.  */
#ifndef SERVICE_WEB_BOARD_PLOTS_H
#define SERVICE_WEB_BOARD_PLOTS_H

#include "base/text.h"
#include "grader/problem/problem.h"
#include "leaderboard/store.h"
#include "service/store/submissions.h"
#include "service/web/parts.h"

/* ==== board data ================================================================================================== */

/* Fills in a page's board from the leaderboard's database. */

/* Everything but `submissions`, which the caller knows, allocated in `arena`. Names are those that the runs were recorded under. `store` may
 * be NULL: only reference solutions. */
MUST_USE Status board_data_read(Store *store, const Problem *problem, const Board *board, Arena *arena, BoardPage *page,
                                Message *why);

/* The boards of the problem's revision that somebody ranks on; none where `store` is NULL. */
MUST_USE Status board_data_list(Store *store, const Problem *problem, Arena *arena, Board **boards, size_t *count,
                                Message *why);

typedef struct OutdatedBoard {
    const char *problem, *device;
    size_t people;
} OutdatedBoard;
/* The boards whose times this version of the judge would take in another way: new runs will not compare with them. Of a real GPU only
 * where a newer run shows it. */
MUST_USE Status board_data_outdated(Store *store, Arena *arena, OutdatedBoard **boards, size_t *count, Message *why);

/* ==== board plots ================================================================================================= */

/* All times with their uncertainties; people as discs or, where there are many, as a histogram; references as diamonds.
 * `you` is a submission's time, ms 0: there is none. `id` is unique on the page. */
void plot_times(Text *page, const char *id, const BoardPage *board, MeasuredTime you);

/* The reference solutions and `you` in order, as a table of bars, with the next one to beat marked. */
void plot_references(Text *page, const BoardPage *board, MeasuredTime you);

/* Steps at each of the times, oldest first; nothing if there are fewer than two. `who` is the head of the table's column of their
 * `person`. */
void plot_history(Text *page, const char *id, const char *title, const char *who, const BestTime *times, size_t count);

/* The times of a person's submissions, which are newest first, over the weeks: a plot for each problem and device. */
void plot_histories(Text *page, const StoredSubmission *rows, size_t row_count);

#endif
