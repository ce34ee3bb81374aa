/* judging.h - a job, which says what is to be judged, and how; and one submission being judged: what the steps of judge.c
 * share.  */
#ifndef GRADER_JUDGE_JUDGING_H
#define GRADER_JUDGE_JUDGING_H

#include "base/hash.h"
#include "base/terminal.h"
#include "grader/check/call.h"
#include "grader/check/device_oracle.h"
#include "grader/check/oracle.h"
#include "grader/judge/call_plan.h"
#include "grader/judge/result.h"
#include "grader/judge/wording.h"
#include "grader/problem/generator.h"
#include "grader/problem/problem.h"
#include "grader/problem/submission.h"
#include "grader/problem/testcase.h"
#include "harness/broker/session.h"
#include "harness/compile/toolkit.h"
#include "harness/device/device_monitor.h"

#include <stdbool.h>
#include <sys/types.h>

/* ==== job ========================================================================================================= */

/* What is to be judged, and how. */

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
    /* The caller may learn how long the hidden cases take (wording.h), and which kernels they leave in the folder of
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
    uint64_t traced; /* with `profiles`, of samples: CallOptions.traced */
    /* What earlier sittings of the same grading have used, and in the end this one as well; NULL: there is no other. */
    CallBudget *spent;
    Progress *progress; /* NULL: silent */
    /* Returns the reference solution that shows whether the device is steady; NULL if there is none. May be NULL. */
    const Submission *(*anchor)(void *context, const DeviceInfo *device);
    void *context; /* for `anchor` */
} JudgeJob;

/* ==== grading ===================================================================================================== */

/* The process that judges on the simulated GPU meanwhile (opinion.h). */
typedef struct OpinionProcess { /* {0}: none */
    pid_t guard;                /* process.h */
    int link;                   /* a socket, to which it writes its answer */
} OpinionProcess;

typedef struct Grading {
    const JudgeJob *job;
    Result *result;
    Session *session;
    Toolkit toolkit; /* not of a session that runs plain C */
    char scratch[256];
    CallLimits limits; /* of each call; and of all together: */
    CallBudget budget;
    Oracle *oracle;
    DeviceOracle *device_oracle; /* NULL: no case is timed by a GPU's clock */
    DeviceMonitor *monitor;      /* NULL: the state of the device is unknown */
    Compiled anchor;
    const char *anchor_name; /* NULL: no anchor */
    TestcaseSet set;
    const Testcase **testcases;      /* of result->cases, by the same index */
    const ExecutionProfile *profile; /* in the session; NULL: not wanted */
    GeneratorKey secret;             /* of the data of this grading */
    CallPlan plan;                   /* of the timed cases; it has an order only if no other cases are listed */
    EarlierInputs earlier;           /* of what the runner in the session has been called with */
    bool findings_told;              /* a warning or a verdict has named a finding */
    bool error_told;                 /* a warning has named a CUDA call that failed */
    Mistake secret_warning;          /* the first of a case whose data are secret (judging_keep_warning()) */
    bool is_fresh;                   /* the runner in the session has not been called yet */
    bool runs_all_blocks;            /* a sample of a kernel's blocks cannot stand for all of them here */
    bool wants_all_blocks;           /* the case that was called last is to be called again so, by a new runner */
    bool runner_is_spent;            /* it cannot be called again: its last call was given up (Testcase) */
    CaseSample load;                 /* what its constructors made the device do */
    bool queued;                     /* somebody else had the device */
    OpinionProcess opinion;          /* the simulated GPU judges as well */
    bool ended;                      /* the verdict is final */
} Grading;

/* A sentence as the author of the submission may read it (wording.h), in the result's arena. Never one about a case
 * whose data are secret: */
const char *judging_wording(const Grading *judging, const char *message);
/* All that may be said about such a case. */
const char *judging_hidden_wording(const Grading *judging, const HiddenFinding *finding);

/* Keeps the first warning about a case whose data are secret. Only a submission that is accepted gets to know it, at
 * the end: together with a mistake it would tell more than one alone. */
void judging_keep_warning(Grading *judging, Mistake mistake);
void judging_tell_warning(const Grading *judging);

/* Ends the judging with a verdict that belongs to no case. */
void judging_end(Grading *judging, Verdict verdict, const char *text);

/* Number of cases of a group. */
int judging_count(const Grading *judging, CaseGroup group);

/* Ends the progress of a group's step: "3 of 4 accepted, hidden 2: Wrong Answer". */
void judging_end_step(const Grading *judging, CaseGroup group);

#endif
