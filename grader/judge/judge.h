/* judge.h - how a submission becomes a verdict.
 *
 * The device is opened, the submission compiled and loaded, and solve() called once for each case: samples, then hidden
 * ones, then those that are timed on this kind of device. Wrong answers let the rest of their group run, so that a
 * student sees all of them; every other failure ends the run, and a group with a failure is the last. The verdict is
 * that of the first case that failed.  */
#ifndef GRADER_JUDGE_JUDGE_H
#define GRADER_JUDGE_JUDGE_H

#include "base/status.h"
#include "grader/problem/problem.h"
#include "grader/terminal/progress.h"
#include "grader/result/result.h"
#include "grader/problem/submission.h"
#include "harness/session/session.h"
#include "harness/compile/toolkit.h"

#include <stdbool.h>

typedef struct JudgeJob {
    const Problem *problem;
    const Submission *submission;
    const char *device;  /* "auto", "sim:h200", ... as device_open() takes it */
    bool timed_only;     /* leave out samples and hidden cases: for reference solutions, which `check` judges */
    bool untimed_only;   /* leave out timed cases: what is asked for is the verdict alone */
    bool beyond_samples; /* wrong answers to samples do not spare the hidden cases: which of them would find it? */
    ExecutionProfile
        *profile;       /* NULL: none is wanted. Else one timed case is run, that with most operations, on a device
                             * that can tell (session_profile()), and what its kernels did is put here */
    Progress *progress; /* NULL: silent */
    /* The reference solution that tells whether the device is steady; NULL: none is known. May be NULL itself. */
    const Submission *(*anchor)(void *context, const DeviceInfo *device);
    void *context;
} JudgeJob;

/* Fills in all of the result but ranks, person and percentiles. Whatever the submission does is a verdict in the
 * result; a Status other than OK is the fault of the judge, its data or its user. `result` is to be freed in any case;
 * problem and submission must outlive it. */
MUST_USE Status judge_submission(const JudgeJob *job, Result *result, Message *why);

/* Says in one line that "auto" took the simulated GPU although a driver is there; otherwise nothing. */
void judge_note_device(Progress *progress, const DeviceInfo *device);

/* The submission as it is compiled to be judged on a device; the object lies in `scratch`. */
MUST_USE Status judge_compile(const Problem *problem, const Submission *submission, const DeviceInfo *device,
                              const Toolkit *toolkit, const char *scratch, Compiled *compiled, Message *why);

#endif
