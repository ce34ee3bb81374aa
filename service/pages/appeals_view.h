/* appeals_view.h - runs that were timed again beside their neighbours, with both figures of each.  */
#ifndef SERVICE_PAGES_APPEALS_VIEW_H
#define SERVICE_PAGES_APPEALS_VIEW_H

#include "base/text.h"
#include "service/pages/pages.h"

/* The part of a submission's page about the appeals of its run; nothing if there is none. */
void appeals_of_submission(Text *page, const BoardPage *board, int64_t run);

/* The table below a board; nothing if none of its runs was timed again. */
void appeals_below_board(Text *page, const BoardPage *board);

#endif
