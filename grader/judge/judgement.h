/* judgement.h - what one call of solve() deserves.  */
#ifndef GRADER_JUDGE_JUDGEMENT_H
#define GRADER_JUDGE_JUDGEMENT_H

#include "grader/check/checker.h"
#include "grader/result/hidden_finding.h"
#include "grader/result/verdict.h"
#include "harness/session/session.h"

#include <stdbool.h>

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

/* True if the call used an undefined value, on which its output may depend (uninitialised_rerun.h). */
bool judgement_needs_rerun(const CallReport *call);
/* Judges a repetition `again` of `call`, whose output was right, with other bytes in place of the undefined values. */
Judgement judgement_of_rerun(const CallReport *call, const CallReport *again, const Comparison *comparison);
typedef struct ConflictLines { /* of the submission's source, where the two of a conflict are asked for; 0: unknown */
    int first, second;
} ConflictLines;
/* Of a call that was right in one order of its operations and, as `wrong` says, wrong in another. */
Judgement judgement_of_order(const DeviceConflict *conflict, ConflictLines lines, const Judgement *wrong);
/* Of a call that was right in each order of two operations which may run at the same time (DeviceConflict.is_race). */
Judgement judgement_of_race(const DeviceConflict *conflict, ConflictLines lines);

#endif
