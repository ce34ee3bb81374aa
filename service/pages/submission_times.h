/* submission_times.h - the times of a submission: each timed case, the roofline, the spread of the samples, and in which
 * state the device was.  */
#ifndef SERVICE_PAGES_SUBMISSION_TIMES_H
#define SERVICE_PAGES_SUBMISSION_TIMES_H

#include "base/text.h"
#include "service/pages/pages.h"

void submission_timed_cases(Text *page, const SubmissionPage *submission);
void submission_roofline(Text *page, const SubmissionPage *submission);
void submission_spread(Text *page, const SubmissionPage *submission);

#endif
