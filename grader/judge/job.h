/* job.h - what is to be judged, and how.  */
#ifndef GRADER_JUDGE_JOB_H
#define GRADER_JUDGE_JOB_H

#include "base/hash.h"
#include "base/terminal.h"
#include "grader/problem/generator.h"
#include "grader/problem/problem.h"
#include "grader/problem/submission.h"
#include "grader/problem/testcase.h"
#include "harness/broker/session.h"

#include <stdbool.h>

enum { JOB_MAX_PROFILES = 16 };

typedef struct JudgeJob {
    const Problem *problem;
    const Submission *submission;
    const TestcaseSet *cases;   /* instead of the problem's own; NULL: these */
    const GeneratorKey *secret; /* of the data of sample and hidden cases; NULL: a new one */
    const char *device;         /* "auto", "sim:h200", "cpu", ... as session_open() takes it */
    bool timed_only;            /* leave out samples and hidden cases: for reference solutions, which `check` judges */
    bool untimed_only;          /* leave out timed cases: only the verdict is wanted */
    bool samples_only;          /* leave out all but samples */
    bool finds_failure;         /* with `cases`: each has a runner of its own, and the first failure ends the run */
    bool second_sitting;        /* with `timed_only`: other numbers of calls, other order of cases (call_plan.h) */
    bool one_block;             /* on a real GPU: one block of timed calls, of however many the problem says */
    bool unoptimised;           /* ptxas leaves out all optimisation (CompileJob.unoptimised) */
    bool second_opinion;        /* on a real GPU: the simulated one judges as well (opinion.h) */
    /* This is such an opinion. Who asked for it sees to the constant rule, and hides how long the hidden cases take. */
    bool is_opinion;
    /* The caller may learn how long the hidden cases take (hidden_duration.h), and which kernels they leave in the folder of
     * translations. */
    bool shows_durations;
    /* Run all hidden cases, even after wrong answers to samples: which of them finds the mistake? Only for the author of the
     * cases. */
    bool beyond_samples;
    /* A verdict of every sample and hidden case, also after one that failed, for points (judge.h). */
    bool all_cases;
    /* NULL; or the machine code of another submission: one that compiles to the same is not run, since it gets the same
     * verdict. The result then has no judged case. */
    const Digest *same_as;
    const char *only_timed_case; /* its name: leave out all other timed cases; NULL: run all */
    /* NULL: not wanted. Else what the kernels of the i-th case did is put into profiles[i], of the first JOB_MAX_PROFILES
     * cases; only where session_profile() can tell. */
    ExecutionProfile *profiles;
    uint64_t traced;        /* with `profiles`, of samples: CallOptions.traced, */
    uint32_t traced_output; /*   CallOptions.traced_output */
    /* What earlier sittings of the same grading have used, and in the end this one as well; NULL: there is no other. */
    CallBudget *spent;
    Progress *progress; /* NULL: silent */
    /* Returns the reference solution that shows whether the device is steady; NULL if there is none. May be NULL. */
    const Submission *(*anchor)(void *context, const DeviceInfo *device);
    void *context; /* for `anchor` */
} JudgeJob;

#endif
