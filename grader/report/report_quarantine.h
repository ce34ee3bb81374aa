/* report_quarantine.h - the runs that wait in quarantine, with what a teacher needs to decide.  */
#ifndef GRADER_REPORT_REPORT_QUARANTINE_H
#define GRADER_REPORT_REPORT_QUARANTINE_H

#include "base/status.h"
#include "base/text.h"
#include "leaderboard/store.h"

#include <stddef.h>

/* For each run the reason, and for each timed case both times, the best known time and the factor between them. */
MUST_USE Status report_quarantine(const RecordedRun *runs, size_t count, Text *out, Message *why);

/* The same as JSON (docs/formats.md), with the source and the samples of both sittings. */
MUST_USE Status report_quarantine_json(const RecordedRun *runs, size_t count, Text *out, Message *why);

#endif
