/* appeals_view.h - runs that were timed again beside their neighbours, with both figures of each.  */
#ifndef SERVICE_PAGES_APPEALS_VIEW_H
#define SERVICE_PAGES_APPEALS_VIEW_H

#include "base/text.h"
#include "service/pages/pages.h"

/* The part of a submission's page about the appeals of its run; nothing if there is none. */
void appeals_of_submission(Text *page, const BoardPage *board, int64_t run);

/* The table below a board; nothing if none of its runs was timed again. */
void appeals_below_board(Text *page, const BoardPage *board);

/* What was asked about the run of a submission, and where the reader may ask, a form: POST /submissions/N/appeal with `why`. */
void appeal_requests_of_submission(Text *page, const SubmissionPage *submission);
/* The teacher's: each with a form: POST /teacher/appeals/ID with `decision` ("grant", "refuse") and `why`. */
void appeal_requests_to_decide(Text *page, const Site *site, const AskedAppeal *asked, size_t count);

#endif
