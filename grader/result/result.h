/* result.h - everything the grader knows about one grading. Every report is a view of it.
 *
 * Units  times in seconds where the name says _s, in milliseconds where it says ms; rates in 1e9 a second; roofline in
 *        parts of one. A number that is not known is 0 here and absent from result.json.  */
#ifndef GRADER_RESULT_RESULT_H
#define GRADER_RESULT_RESULT_H

#include "base/arena.h"
#include "grader/check/checker.h"
#include "grader/problem/problem.h"
#include "grader/problem/submission.h"
#include "grader/problem/testcase.h"
#include "grader/timing/timing.h"
#include "grader/result/verdict.h"
#include "harness/compile/compile.h"
#include "harness/device/device.h"
#include "leaderboard/percentile.h"
#include "leaderboard/store.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct CaseResult {
    CaseGroup group;
    const char *name; /* "three taps"; of a hidden case "hidden 4" */
    Sizes sizes;      /* secret where the case is hidden */
    bool judged;      /* false: an earlier failure ended the run */
    Verdict verdict;
    const char *text; /* one sentence where it was not accepted, else "" */
    bool compared;    /* the output was held against the oracle: */
    Comparison comparison;
    const char *printed;   /* what the submission printed; "" where hidden */
    uint64_t printed_lost; /* bytes beyond that */
    int64_t operations, bytes, input_bytes;
    CaseSample *samples; /* timed cases that were accepted; in the order of their blocks */
    size_t sample_count;
    Timing timing;     /* the same: what the samples say */
    MeasuredTime time; /* the same, with the uncertainty of the whole sitting */
    double gflops, gbytes_per_s, roofline;
    DeviceStatistics statistics;
} CaseResult;

typedef struct StepSeconds { /* duration of each step of the grading, by the wall clock */
    double start, compile, sample, hidden, timed;
    double check; /* part of the others: computing and comparing expected outputs on the device */
    double open;  /* part of the others: from the start of one broker until its device is open */
    double wait;  /* part of the others: waiting until the device is free and steady */
} StepSeconds;

enum { RESULT_MAX_WARNINGS = 16 };

typedef struct Result {
    const Problem *problem; /* the caller's */
    const char *file_name;
    Digest source;
    char time_utc[32]; /* when it began, "2026-01-31T12:00:00Z" */
    const char *person;
    DeviceInfo device;   /* where on_cpu is set only its names mean anything */
    bool on_cpu;         /* a CPU baseline: plain C, timed by the judge's clock, never ranked or recorded */
    const char *judge;   /* version */
    char toolkit[80];    /* the compiler and its version: "nvcc 13.0.88" */
    bool by_clang;       /* it is clang: times stand apart from those of nvcc's code */
    const char *sandbox; /* sandbox_level() */
    Compiled compiled;

    Verdict verdict;  /* of the first case that failed */
    const char *text; /* one sentence, "" where accepted */
    CaseResult *cases;
    size_t case_count;
    StepSeconds seconds;
    const char *warnings[RESULT_MAX_WARNINGS];
    size_t warning_count;

    AnchorTimes anchor;      /* real GPUs: */
    BlockConditions *blocks; /* in the arena, by their number */
    size_t block_count;
    char unsteady[300]; /* why the times cannot count, whatever they are; "" where all was well */

    MeasuredTime score;                    /* geometric mean over the timed cases; ms 0: there is none */
    double gflops, gbytes_per_s, roofline; /* geometric means as well */

    char rank_status[300];         /* "ranked", or "not ranked: " and why */
    Percentile references, class_; /* n 0: absent */
    size_t rank;                   /* in the class; 0: not ranked */
    ReferenceTime *ladder;         /* the reference solutions' times, fastest first */
    size_t ladder_count;
    Arena arena;
} Result;

void result_free(Result *result);

/* An empty result of a grading that begins now. */
void result_begin(Result *result, const Problem *problem, const Submission *submission);
/* An entry, "not run" as yet, for each testcase of a group that is wanted. `(*testcases)[i]` is the one of cases[i]. */
void result_list_cases(Result *result, const TestcaseSet *set, const bool wanted[CASE_GROUPS],
                       const Testcase ***testcases);

/* Leaves but the case with most operations. */
void result_keep_largest_case(Result *result, const Testcase **testcases);

/* Adds a warning, once. */
__attribute__((format(printf, 2, 3))) void result_warn(Result *result, const char *format, ...);

/* From a case's samples: its time, and rates. */
void result_time_case(CaseResult *item, const DeviceInfo *device);
/* From the cases' times: score and rates, where every timed case has one. The drift of the anchor, which is known only
 * when all is timed, becomes part of every case's uncertainty. */
void result_score(Result *result);
/* Fills in `unsteady` from a block's disturbance or from the drift of the anchor, where it is still empty. */
void result_find_unsteady(Result *result);

/* The case that decided the verdict; NULL where all were accepted, or none was judged. */
const CaseResult *result_failed_case(const Result *result);

/* The most that any kernel uses of each resource. */
CompileKernel result_largest_use(const Compiled *compiled);

/* result.json, and the part of it that the database keeps (docs/formats.md). */
void result_json(const Result *result, Text *out);
void result_cases_json(const Result *result, Text *out);

#endif
