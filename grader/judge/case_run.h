/* case_run.h - one case: solve() is called on its data, the output is checked, and the case gets its verdict.  */
#ifndef GRADER_JUDGE_CASE_RUN_H
#define GRADER_JUDGE_CASE_RUN_H

#include "grader/check/checker.h"
#include "grader/judge/judging.h"
#include "grader/judge/result.h"
#include "grader/judge/wording.h"
#include "harness/broker/session.h"

#include <stdbool.h>

/* ==== judgement =================================================================================================== */

/* What one call of solve() deserves. */

typedef struct Judgement {
    Verdict verdict;
    HiddenFinding finding; /* what may be said where the data of the case are secret */
    char text[900];        /* one sentence, only for cases whose data are public; "" if accepted */
} Judgement;

typedef struct CaseOutput {
    bool compared; /* with the oracle's: */
    Comparison comparison;
    OutputElements elements; /* of a sample whose output is wrong */
} CaseOutput;

/* `comparison` is NULL if there is no output to compare. */
Judgement judgement_of_call(const CallReport *call, const Comparison *comparison, bool kernel_must_write_output);

/* True if the call used an undefined value, on which its output may depend. */
bool judgement_needs_rerun(const CallReport *call);
/* Judges a repetition `again` of `call`, whose output was right, with other bytes in place of the undefined values. */
Judgement judgement_of_rerun(const CallReport *call, const CallReport *again, const Comparison *comparison);
typedef struct ConflictLines { /* of the submission's source, where the two of a conflict are asked for; 0: unknown */
    int first, second;
} ConflictLines;

/* ==== case run ==================================================================================================== */

/* On a session with a wall clock, a timed case is called once to warm up, as its first call finds cold caches and
 * starts threads, and then at most CASE_TRIALS times, for a second or so. Each of these calls is a sample, and a
 * block. */
enum { CASE_TRIALS = 10 };

/* Judges a case that is not timed by a GPU's own clock. */
MUST_USE Status case_run(Grading *judging, const Testcase *testcase, CaseResult *item, Message *why);

/* What a call of a case deserves. */
Judgement case_judgement(const Grading *judging, const CaseOutput *output, const CallReport *call);

/* Warns of work that was charged to the timed calls of the case. */
void case_warn_of_charge(Grading *judging, const CaseResult *item);

/* Puts the verdict into the case, and what else may be told of it. */
void case_conclude(Grading *judging, CaseResult *item, const CallReport *call, const CaseOutput *output,
                   const Judgement *decided);

#endif
