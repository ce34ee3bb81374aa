/* review.h - looks again at a result that is much faster than anything known, before it is ranked.
 *
 * A result is reviewed if in a timed case it is faster, by the problem's `review_factor`, than the best reference solution
 * and than every run that ranks. Where no time of a case is known, the direct roofline stands in for it; where that is
 * unknown, too, every result is reviewed. It is then timed again in a second sitting: new processes, new data and new
 * addresses, other order of the cases, and on a real GPU other numbers of calls. The result waits in quarantine
 *
 *     if the two sittings differ in a case: by more than twice their combined uncertainty, and by more than 5 %
 *     if it takes less than half of the time of the direct roofline in a case, and no reference solution, and no run that
 *     a teacher accepted, is nearly as fast: many small steps do not lead past the roofline without a teacher
 *     if the second sitting gives no times that count.
 *
 * Otherwise the times of the first sitting stand. A modelled time would be the same in a second sitting. So there the question is
 * whether the model is sure: a case that is faster than all others by the factor waits at once where a doubt concerns it
 * (ModelDoubt), and by any lead where the model cannot relate machine code to PTX.  */
#ifndef GRADER_RANKING_REVIEW_H
#define GRADER_RANKING_REVIEW_H

#include "base/status.h"
#include "grader/judge/judge.h"
#include "grader/ranking/ranking.h"
#include "leaderboard/database.h"
#include "leaderboard/store.h"

#include <stddef.h>

/* Reviews a result that would be ranked, whose `reference_times` are filled in. `first` is the job that it comes from. Sets
 * `second`, `known_ms` and `known_of`, and if it must wait `rank_status` and a warning that says what happens next. */
MUST_USE Status review_result(Store *store, const JudgeJob *first, Result *result, Message *why);

/* The first timed case that is faster than what is known by the factor, the most so; NULL: there is none. */
const CaseResult *review_suspect(const Result *result, const KnownTime *known);

/* True if a case is ahead of all that is known and the model is not sure of it; then `text` says why. */
bool review_doubts(const Result *result, const KnownTime *known, char *text, size_t size);

/* Why a result with a second sitting must wait, in `text`; "" if it need not. */
void review_judge(const Result *result, const KnownTime *known, char *text, size_t size);

/* ==== audit ======================================================================================================= */

/* Whether what the leaderboard says follows from its raw samples.
 *
 * Each run and each time of a reference solution is computed again with the functions that grade
 * (grader/judge/result_json.h). Numbers agree if they differ by less than 1e-9 of their size, because a sample is stored
 * in milliseconds and computed with in seconds.  */

typedef struct AuditSummary {
    size_t runs, references;
    size_t incomplete; /* rows of an older version, whose times cannot be computed again */
} AuditSummary;

/* Checks the whole database. `store` must not change meanwhile: call it between store_begin_reading() and its end. */
MUST_USE Status audit_store(Store *store, Findings *findings, AuditSummary *summary, Message *why);

#endif
