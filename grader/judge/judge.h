/* judge.h - how a submission becomes a verdict.
 *
 * The judge opens a session on the device, compiles and loads the submission, and calls solve() for each case: samples,
 * then hidden cases, then the cases that are timed on this kind of device. Each group of cases, and each block of timed
 * calls, has a runner and a broker of its own, so that no call can leave anything for a later group. Wrong answers let
 * the rest of the samples run, so that a student sees all of them. Every other failure ends the run. The verdict is that
 * of the first case that failed. With JudgeJob.all_cases the cases after it are judged as well, for partial points.
 *
 * CPU baselines take the same way through another kind of session (harness/broker/session.h). They are not
 * ranked. */
#ifndef GRADER_JUDGE_JUDGE_H
#define GRADER_JUDGE_JUDGE_H

#include "base/status.h"
#include "grader/judge/judging.h"
#include "grader/judge/result.h"
#include "grader/problem/submission.h"

/* ==== compiler warning ============================================================================================ */

/* What the compiler has warned of, where it may explain why a submission fails.
 *
 * A variable that is used before it is set has any value that the compiler likes, and the compiler may remove what depends
 * on it. Then no device finds a use of the variable, and the compiler's warning is all that is left. */

/* Adds a warning for each variable that the compiler saw used before it is set, in a line of the submission's file. */
void compiler_warning_tell(Result *result, const Submission *submission);

/* ==== clocked cases =============================================================================================== */

/* The timed cases on a GPU with a clock of its own: one sitting (grader/judge/measure.h). */

/* Starts what the sitting will need, so that it gets ready while the other cases run. Does nothing if no case is
 * timed. */
MUST_USE Status clocked_cases_prepare(Grading *judging, Message *why);

/* Times the cases and judges them. Opens the devices of all blocks at once where that was not done before. */
MUST_USE Status clocked_cases_run(Grading *judging, Message *why);

/* ==== judge ======================================================================================================= */

/* Fills in all of the result but ranks, person and percentiles. Whatever the submission does is a verdict in the
 * result; a Status other than STATUS_OK is the fault of the judge, its data or its user. `result` must be freed in
 * any case; problem and submission must outlive it. */
MUST_USE Status judge_submission(const JudgeJob *job, Result *result, Message *why);

/* The same on the timed cases alone, to time a file again: the one way in which all that time several files do it. */
MUST_USE Status judge_timed(const Problem *problem, const Submission *submission, const char *device, bool one_block,
                            Result *result, Message *why);

/* The judge's program is also the broker, which owns the device, and the oracle: the judge starts it again as them. Becomes
 * the one that argv[1] names, and returns true with its exit status; false: neither. */
bool judge_part(int argc, char **argv, int *exit_status);

/* Says in one line that "auto" took the simulated GPU, and why; otherwise nothing. */
void judge_note_device(Progress *progress, const DeviceInfo *device);

#endif
