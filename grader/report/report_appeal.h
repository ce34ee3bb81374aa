/* report_appeal.h - runs that were timed again, in words.  */
#ifndef GRADER_REPORT_REPORT_APPEAL_H
#define GRADER_REPORT_REPORT_APPEAL_H

#include "base/text.h"
#include "leaderboard/appeals.h"

/* A table of the run and its neighbours, and what follows. `missing`: people who could not be timed again. */
void report_appeal(const Appeal *appeal, const char *device, const char *const *missing, size_t missing_count,
                   Text *out);

/* One line for each, below a leaderboard; nothing if there is none. */
void report_appeals_of_board(const Appeal *appeals, size_t count, Text *out);

/* "They agree within their uncertainties." or what else there is to say of the run's two figures. */
const char *report_appeal_words(const AppealedTime *time);

#endif
