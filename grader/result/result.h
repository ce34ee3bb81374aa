/* result.h - everything that the grader knows about one grading. Every report is a view of it.
 *
 * Units  times in seconds where the name says _s, in milliseconds where it says ms; rates in 1e9 per second;
 *        roofline as a fraction of 1. An unknown number is 0 here and absent from result.json.  */
#ifndef GRADER_RESULT_RESULT_H
#define GRADER_RESULT_RESULT_H

#include "base/arena.h"
#include "grader/check/checker.h"
#include "grader/problem/problem.h"
#include "grader/problem/submission.h"
#include "grader/problem/testcase.h"
#include "grader/timing/call_plan.h"
#include "grader/timing/timing.h"
#include "grader/result/hidden_finding.h"
#include "grader/result/second_opinion.h"
#include "grader/result/verdict.h"
#include "harness/compile/compile.h"
#include "harness/device/device.h"
#include "leaderboard/percentile.h"
#include "leaderboard/store.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct
    CaseErrors { /* of an output, in its unit. Of a hidden case only `max`, if its output was wrong, and only as
                            * hidden_error() */
    bool known;
    double max, mean;
    double bound; /* Comparison.bound */
} CaseErrors;

typedef struct SampleDetails { /* what only a sample case may tell */
    bool compared;             /* the output was compared with the oracle's: */
    Comparison comparison;
    OutputElements elements; /* of a wrong output */
    const char *printed;     /* what the submission printed */
    uint64_t printed_lost;   /* bytes beyond that */
} SampleDetails;

typedef struct CaseResult {
    CaseGroup group;
    const char *name; /* "three taps"; "hidden 4" for a hidden case */
    Sizes sizes;      /* all 0 of a hidden case, and so are `operations` and `bytes` */
    bool judged;      /* false: an earlier failure ended the run */
    Verdict verdict;
    const char *text;            /* one sentence; "" if accepted */
    const SampleDetails *sample; /* NULL: the data of the case are secret, and `text` is a hidden_finding_add() */
    HiddenFinding finding;       /* what may be told of it where the data are secret */
    CaseErrors errors;
    int64_t operations, bytes, input_bytes;
    CaseSample *samples; /* of timed cases that were accepted, in order of their blocks */
    size_t sample_count;
    CaseSample *warm_up; /* likewise, of the calls before those that are timed */
    size_t warm_up_count;
    const char
        *fewer_calls;  /* why a block had fewer timed calls than the problem wants: one sentence; NULL: it had all */
    Timing timing;     /* from the samples */
    MeasuredTime time; /* the same time, with the uncertainty of the sitting */
    double gflops, gbytes_per_s, roofline;
    DeviceStatistics statistics;
    double known_ms;      /* timed cases of a result that would rank: the best time known before; 0: none */
    const char *known_of; /* whose it is: "tiled.cu", "run 12" */
} CaseResult;

typedef struct CaseVerdict { /* all that points need of a case */
    const char *name;        /* as in the testcase file, of a hidden one as well */
    bool judged;
    Verdict verdict;
} CaseVerdict;

typedef struct StepSeconds { /* duration of each step of the grading, by the wall clock */
    double start, compile, sample, hidden, timed;
    double second; /* a second sitting, with everything that it takes */
    double check;  /* part of the others: computing and comparing expected outputs on the device */
    double open;   /* part of the others: from the start of one broker until its device is open */
    double wait;   /* part of the others: waiting until the device is free and steady */
} StepSeconds;

enum { RESULT_MAX_WARNINGS = 16 };

typedef struct Result {
    const Problem *problem; /* belongs to the caller */
    const char *file_name;
    Digest source;
    char seed[65];     /* 64 hexadecimal digits: the key that the data of all cases follow from, but not of calls
                        * that a GPU times; "": none was chosen */
    char time_utc[32]; /* start of the grading, "2026-01-31T12:00:00Z" */
    const char *person;
    DeviceInfo device;   /* if `on_cpu`, only its names mean anything */
    bool on_cpu;         /* a CPU baseline: plain C, timed by the judge's clock, never ranked or recorded */
    const char *judge;   /* version of the judge */
    char toolkit[80];    /* the compiler and its version: "nvcc 13.0.88" */
    bool by_clang;       /* times cannot be compared with those of code from nvcc */
    const char *sandbox; /* sandbox_level() */
    bool unconfined;     /* --unconfined was given */
    Compiled compiled;

    Verdict verdict;  /* of the first case that failed, or of a step that failed before or after the cases */
    const char *text; /* one sentence; "" if accepted */
    CaseResult *cases;
    size_t case_count;
    CaseVerdict *all_cases; /* by the same index; NULL: not wanted. Only case_verdicts.h shows them */
    StepSeconds seconds;
    const char *warnings[RESULT_MAX_WARNINGS];
    size_t warning_count;

    AnchorTimes anchor;      /* real GPUs; and so are the blocks */
    BlockConditions *blocks; /* by number, in the arena */
    size_t block_count;
    char unsteady[300]; /* why the times do not count; "": they do */
    CallPlan plan;      /* of the timed cases */

    SecondOpinion opinion; /* of the simulated GPU, where a real one judged */

    /* The timed cases once more, in a second sitting (grader/ranking/review.h); NULL: there was none. Its verdict, times
     * and conditions mean the same as the result's. */
    struct Result *second;

    MeasuredTime score;                    /* geometric mean over the timed cases; ms 0: no score */
    double gflops, gbytes_per_s, roofline; /* geometric means as well */

    char rank_status[300];         /* "ranked", or "not ranked: " or "quarantined: " and the reason */
    Percentile references, class_; /* n 0: absent */
    size_t rank;                   /* in the class; 0: not ranked */
    ReferenceTime *ladder;         /* the reference solutions' times, fastest first */
    size_t ladder_count;
    int64_t run; /* its number in the leaderboard; 0: it was not recorded */
    Arena arena;
} Result;

void result_free(Result *result);

/* Begins the result of a grading that begins now. */
void result_begin(Result *result, const Problem *problem, const Submission *submission);
/* Adds an entry, not yet judged, for each testcase of a wanted group. `(*testcases)[i]` is the testcase of cases[i]. */
void result_list_cases(Result *result, const TestcaseSet *set, const bool wanted[CASE_GROUPS],
                       const Testcase ***testcases);

/* Removes all cases but the one with this name. */
void result_keep_case(Result *result, const Testcase **testcases, const char *name);

/* Adds a warning, unless it is there already. */
__attribute__((format(printf, 2, 3))) void result_warn(Result *result, const char *format, ...);

/* Computes the time and the rates of a case from its samples. */
void result_time_case(CaseResult *item, const DeviceInfo *device);
/* The same case in the second sitting; NULL: it was not timed there. */
const CaseResult *result_second_case(const Result *result, const CaseResult *item);

/* Computes score and rates if every timed case has a time. The drift of the anchor, which is known only after all
 * cases, becomes part of the uncertainty of each. */
void result_score(Result *result);
/* Sets `unsteady`, if it is empty, when a block was disturbed or the anchor drifted. */
void result_find_unsteady(Result *result);

/* The case that decided the verdict; NULL: all were accepted, or none was judged. */
const CaseResult *result_failed_case(const Result *result);

/* For each resource, the most that any kernel uses. */
CompileKernel result_largest_use(const Compiled *compiled);

#endif
