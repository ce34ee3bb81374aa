/* submission_json.h - a submission as docs/api.md shows it.  */
#ifndef SERVICE_API_SUBMISSION_JSON_H
#define SERVICE_API_SUBMISSION_JSON_H

#include "service/api/service.h"
#include "service/store/submissions.h"

#include <cjson/cJSON.h>

/* "waiting", "judging", "judged", "held" or "withdrawn". */
const char *submission_state(const StoredSubmission *row);
bool submission_has_ended(const StoredSubmission *row);
/* "ranked", or why a run does not rank. */
const char *submission_rank_words(const StoredSubmission *row);

/* `whole`: with what takes a look at the queue or at the board: jobs ahead, progress, rank. */
MUST_USE Status submission_json(const Service *service, const StoredSubmission *row, bool whole, cJSON **object,
                                Message *why);

#endif
