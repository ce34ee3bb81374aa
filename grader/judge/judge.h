/* judge.h - how a submission becomes a verdict.
 *
 * The judge opens a session on the device, compiles and loads the submission, and calls solve() for each case: samples,
 * then hidden cases, then the cases that are timed on this kind of device. Each group of cases, and each block of timed
 * calls, has a runner and a broker of its own, so that no call can leave anything for a later group. Wrong answers let
 * the rest of the samples run, so that a student sees all of them. Every other failure ends the run. The verdict is that
 * of the first case that failed. With JudgeJob.all_cases the cases behind it are judged as well, for points alone.
 *
 * CPU baselines take the same way through another kind of session (harness/session/cpu_session.h). They are not
 * ranked. */
#ifndef GRADER_JUDGE_JUDGE_H
#define GRADER_JUDGE_JUDGE_H

#include "base/status.h"
#include "grader/judge/job.h"
#include "grader/result/result.h"

/* Fills in all of the result but ranks, person and percentiles. Whatever the submission does is a verdict in the
 * result; a Status other than STATUS_OK is the fault of the judge, its data or its user. `result` must be freed in
 * any case; problem and submission must outlive it. */
MUST_USE Status judge_submission(const JudgeJob *job, Result *result, Message *why);

/* Says in one line that "auto" took the simulated GPU, and why; otherwise nothing. */
void judge_note_device(Progress *progress, const DeviceInfo *device);

#endif
