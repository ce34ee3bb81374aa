/* explain_report.h - an explanation as text for people.  */
#ifndef GRADER_REPORT_EXPLAIN_REPORT_H
#define GRADER_REPORT_EXPLAIN_REPORT_H

#include "base/text.h"
#include "grader/report/advisor.h"
#include "grader/report/explain.h"
#include "grader/report/ncu.h"
#include "grader/report/steps.h"
#include "grader/result/result.h"
#include "grader/terminal/terminal.h"

/* ==== explain report ============================================================================================== */

/* One timed case that was run. */
typedef struct ExplainedCase {
    const CaseResult *item;
    int number; /* among the problem's timed cases, from 1 */
    Explanation explanation;
    double facts[FACT_COUNT];
    double measured_s;    /* on a real GPU; 0: not measured */
    MeasuredTime example; /* of the next step's example, on the device that was timed; ms 0: unknown */
} ExplainedCase;

/* What the reader is told to do. There is one thing at a time. */
typedef enum Telling {
    TELL_DEFECT, /* the first of `advice` */
    TELL_STEP,   /* the next step of the ladder */
    TELL_LINES,  /* neither: the lines that take most of the time, and the next reference solution to beat */
    TELL_NOTHING /* neither, and it is among the fastest quarter */
} Telling;

typedef enum StepDetail { DETAIL_IDEA, DETAIL_SKETCH, DETAIL_CODE } StepDetail;

typedef struct ExplainReport {
    const Result *result; /* of the cases that were run, which are accepted */
    const Submission *submission;
    const ExplainedCase *cases; /* [case_count] */
    size_t case_count;
    int timed_count;            /* timed cases of the problem, which may be more than were run */
    const ExplainedCase *shown; /* the one that is shown line by line */
    Telling telling;
    const Advice *advice; /* [advice_count] */
    size_t advice_count;
    NextStep next;
    StepDetail detail;       /* how much of the step is shown */
    const char *code;        /* the source of the step's example, where that is shown */
    const Result *timed;     /* of the device of all times: with its reference solutions */
    bool with_terms;         /* explain the terms that are used */
    const char *gpu;            /* name of the real GPU, if something was measured on one */
    const NcuMeasurement *measurement;
    const char *note;      /* why Nsight Compute measured nothing; NULL: it did, or nobody asked for it */
    const char *time_note; /* likewise, why no times were measured */
} ExplainReport;

/* The rows of explain.json. */
extern const struct RecordTable explain_table;

/* A defect that gains this share of the score is told before a step: the step's time is promised to a kernel without
 * it. */
#define DEFECT_COMES_FIRST 0.1

/* Of what advice, step and reference solutions are known. */
Telling explain_telling(const ExplainReport *report);

void explain_report_write(const ExplainReport *report, TerminalStyle style, Text *out);

/* ==== explain json ================================================================================================ */

/* An explanation as explain.json (docs/reference/formats.md). */

void explain_json(const ExplainReport *report, Text *out);

#endif
