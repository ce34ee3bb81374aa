/* result.h - everything the grader knows about one grading. Every report is a view of it.
 *
 * Units  times in seconds where the name says _s, in milliseconds where it says ms; rates in 1e9 a second; roofline in
 *        parts of one. A number that is not known is 0 here and absent from result.json.  */
#ifndef GRADER_RESULT_H
#define GRADER_RESULT_H

#include "base/arena.h"
#include "grader/checker.h"
#include "grader/problem.h"
#include "grader/submission.h"
#include "grader/testcase.h"
#include "grader/verdict.h"
#include "harness/compile.h"
#include "harness/device/device.h"
#include "leaderboard/percentile.h"
#include "leaderboard/store.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct CaseSample { /* one timed call, on both clocks */
    double event_s;
    double host_s;          /* 0 where the device has one clock */
} CaseSample;

typedef struct CaseResult {
    CaseGroup group;
    const char *name;       /* "three taps"; of a hidden case "hidden 4" */
    Sizes sizes;            /* secret where the case is hidden */
    bool judged;            /* false: an earlier failure ended the run */
    Verdict verdict;
    const char *text;       /* one sentence where it was not accepted, else "" */
    bool compared;          /* the output was held against the oracle: */
    Comparison comparison;
    const char *printed;    /* what the submission printed; "" where hidden */
    uint64_t printed_lost;  /* bytes beyond that */
    int64_t operations, bytes, input_bytes;
    CaseSample *samples;    /* timed cases that were accepted */
    size_t sample_count;
    MeasuredTime time;      /* the same */
    double gflops, gbytes_per_s, roofline;
    DeviceStatistics statistics;
} CaseResult;

typedef struct StepSeconds { /* wall clock of the grading's steps */
    double start, compile, sample, hidden, timed;
} StepSeconds;

enum { RESULT_MAX_WARNINGS = 16 };

typedef struct Result {
    const Problem *problem;    /* the caller's */
    const char *file_name;
    Digest source;
    char time_utc[32];         /* when it began, "2026-01-31T12:00:00Z" */
    const char *person;
    DeviceInfo device;
    const char *judge;         /* version */
    char toolkit[64];          /* version */
    const char *sandbox;       /* sandbox_level() */
    Compiled compiled;

    Verdict verdict;           /* of the first case that failed */
    const char *text;          /* one sentence, "" where accepted */
    CaseResult *cases;
    size_t case_count;
    StepSeconds seconds;
    const char *warnings[RESULT_MAX_WARNINGS];
    size_t warning_count;

    MeasuredTime score;        /* geometric mean over the timed cases; ms 0: there is none */
    double gflops, gbytes_per_s, roofline; /* geometric means as well */

    char rank_status[300];     /* "ranked", or "not ranked: " and why */
    Percentile references, class_; /* n 0: absent */
    size_t rank;               /* in the class; 0: not ranked */
    ReferenceTime *ladder;     /* the reference solutions' times, fastest first */
    size_t ladder_count;
    Arena arena;
} Result;

void result_free(Result *result);

/* Adds a warning, once. */
__attribute__((format(printf, 2, 3))) void result_warn(Result *result, const char *format, ...);

/* From a case's samples: its time (their median), uncertainty, and rates. */
void result_time_case(CaseResult *item, const DeviceInfo *device);
/* From the cases' times: score and rates, where every timed case has one. */
void result_score(Result *result);

/* The case that decided the verdict; NULL where all were accepted, or none was judged. */
const CaseResult *result_failed_case(const Result *result);

/* The most that any kernel uses of each resource. */
CompileKernel result_largest_use(const Compiled *compiled);

/* result.json, and the part of it that the database keeps (docs/formats.md). */
void result_json(const Result *result, Text *out);
void result_cases_json(const Result *result, Text *out);

#endif
