/* opinion.h - the second opinion of a grading on a real GPU: what the simulated one says of its samples and hidden
 * cases (grader/judge/result.h).
 *
 * It is judged beside the device's own work, from the end of compiling to that of the hidden cases: before any call is
 * timed it is there or given up. The hidden cases' step may wait for it, but only as long as it still shows one of the
 * few durations of wording.h, and at most a second longer than without.
 *
 * What is told of hidden cases does not grow by another finding: where the real GPU has told one, the simulated GPU's
 * verdict is told, and its kind of mistake only if the real GPU named none.  */
#ifndef GRADER_JUDGE_OPINION_H
#define GRADER_JUDGE_OPINION_H

#include "base/status.h"
#include "grader/judge/judging.h"

#include <stdbool.h>

/* ==== the process ================================================================================================= */

/* Judges a submission on the simulated GPU while a real one judges it.
 *
 * The work is done by a copy of this process (fork), because two judgings would get in each other's way: it can be
 * killed whatever it is doing, and takes only processor time that nobody else wants (nice 19). It judges samples and
 * hidden cases with the same data, in sandboxes of its own. Fork it before the judge computes anything with threads:
 * OpenMP does not work in the child of a process that has used it.
 *
 * The answer has room for what may be told, and for nothing else.  */

/* judge_submission() */
typedef Status JudgeFunction(const JudgeJob *job, Result *result, Message *why);

typedef struct OpinionAnswer {
    Status status; /* not STATUS_OK: the judge failed, `text` says how; nothing else is set but the device */
    char device[sizeof((DeviceInfo){0}.name)];
    Verdict verdict;
    bool has_case; /* a case decided the verdict: */
    bool is_secret;
    char name[200]; /* "three taps", "hidden 4" */
    HiddenFinding finding;
    char text[1000]; /* "" of a secret case */
} OpinionAnswer;

/* Starts judging as `job` says. */
MUST_USE Status opinion_process_start(const JudgeJob *job, JudgeFunction *judge, OpinionProcess *opinion, Message *why);
/* Waits for the answer until `deadline_s` (now_s()); false: there is none. A process that has ended without an answer is a
 * failure of the judge. */
bool opinion_process_await(const OpinionProcess *opinion, double deadline_s, OpinionAnswer *answer);
/* Ends it; whatever it has started dies with it. Accepts none, and leaves none. */
void opinion_process_stop(OpinionProcess *opinion);

/* ==== its part in a grading ======================================================================================= */

/* How much longer a grading may take for it. A program that is linked with a definition of its own has that one: tests
 * wait longer, for a machine that is busy. */
extern double opinion_most_s;

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
