/* audit.h - whether what the leaderboard says follows from its raw samples.
 *
 * Each run and each time of a reference solution is computed again with the functions that grade
 * (grader/judge/result_json.h). Numbers agree if they differ by less than 1e-9 of their size, because a sample is stored
 * in milliseconds and computed with in seconds.  */
#ifndef GRADER_RANKING_AUDIT_H
#define GRADER_RANKING_AUDIT_H

#include "base/status.h"
#include "leaderboard/database.h"
#include "leaderboard/store.h"

#include <stddef.h>

typedef struct AuditSummary {
    size_t runs, references;
    size_t incomplete; /* rows of an older version, whose times cannot be computed again */
} AuditSummary;

/* Checks the whole database. `store` must not change meanwhile: call it between store_begin_reading() and its end. */
MUST_USE Status audit_store(Store *store, Findings *findings, AuditSummary *summary, Message *why);

#endif
