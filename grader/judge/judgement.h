/* judgement.h - what one call of solve() deserves.  */
#ifndef GRADER_JUDGE_JUDGEMENT_H
#define GRADER_JUDGE_JUDGEMENT_H

#include "grader/check/checker.h"
#include "grader/result/verdict.h"
#include "harness/session/session.h"

#include <stdbool.h>

typedef struct Judgement {
    Verdict verdict;
    char text[900]; /* one sentence; "" if accepted */
} Judgement;

/* `comparison` is NULL if there is no output to compare. */
Judgement judgement_of_call(const CallReport *call, const Comparison *comparison, bool kernel_must_write_output);

/* True if the call used an undefined value, on which its output may depend (uninitialised_rerun.h). */
bool judgement_needs_rerun(const CallReport *call);
/* Judges a repetition `again` of `call`, whose output was right, with other bytes in place of the undefined values. */
Judgement judgement_of_rerun(const CallReport *call, const CallReport *again, const Comparison *comparison);

#endif
