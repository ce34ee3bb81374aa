/* opinion_step.h - the second opinion of a grading on a real GPU: what the simulated one says of its samples and hidden
 * cases (grader/judge/result.h).
 *
 * It is judged beside the device's own work, from the end of compiling to that of the hidden cases: before any call is
 * timed it is there or given up. The hidden cases' step may wait for it, but only as long as it still shows one of the
 * few durations of hidden_duration.h, and at most a second longer than without.
 *
 * What is told of hidden cases does not grow by another finding: where the real GPU has told one, the simulated GPU's
 * verdict is told, and its kind of mistake only if the real GPU named none.  */
#ifndef GRADER_JUDGE_OPINION_STEP_H
#define GRADER_JUDGE_OPINION_STEP_H

#include "grader/judge/judging.h"

/* How much longer a grading may take for it. A program that is linked with a definition of its own has that one: tests
 * wait longer, for a machine that is busy. */
extern const double OPINION_MOST_S;

/* Begins, if an opinion is wanted and the device is real. CONVJUDGE_SECOND_OPINION names the simulated GPU; if it is
 * set, simulated devices get a second opinion as well. */
void opinion_step_begin(Grading *judging, JudgeFunction *judge);
/* Waits, ends the other process, and puts what may be told into the result. All cases but timed ones have been judged;
 * `start_s` is when those with secret data began. Without an opinion under way, does nothing. */
void opinion_step_take(Grading *judging, double start_s);
/* The same where no hidden case was run. Then shows the opinion as a step. */
void opinion_step_end(Grading *judging);

/* Runs the submission again where that can tell why the simulated GPU does not confirm that it is wrong. The device
 * must be free again: the session is closed. */
void opinion_step_retry(Grading *judging, JudgeFunction *judge);

#endif
