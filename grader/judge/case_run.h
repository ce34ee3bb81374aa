/* case_run.h - one case: solve() is called on its data, the output is checked, and the case gets its verdict.  */
#ifndef GRADER_JUDGE_CASE_RUN_H
#define GRADER_JUDGE_CASE_RUN_H

#include "grader/judge/judgement.h"
#include "grader/judge/judging.h"

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
