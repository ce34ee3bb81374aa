/* board_plots.h - the times on one board as pictures, each with its numbers in a table: all times with the place of a
 * submission among them, the ladder of reference solutions, and the best time over the weeks.  */
#ifndef SERVICE_PAGES_BOARD_PLOTS_H
#define SERVICE_PAGES_BOARD_PLOTS_H

#include "base/text.h"
#include "service/pages/pages.h"

/* All times with their uncertainties; people as discs or, where there are many, as a histogram; references as diamonds.
 * `you` is a submission's time, ms 0: there is none. `id` is unique on the page. */
void plot_times(Text *page, const char *id, const BoardPage *board, MeasuredTime you);

/* The reference solutions and `you` in order, as a table of bars, with the next rung marked. */
void plot_ladder(Text *page, const BoardPage *board, MeasuredTime you);

/* Steps at each of the times, oldest first; nothing if there are fewer than two. `who` is the head of the table's column of their
 * `person`. */
void plot_history(Text *page, const char *id, const char *title, const char *who, const BestTime *times, size_t count);

#endif
