/* explain_report.h - an explanation as text for people.  */
#ifndef GRADER_REPORT_EXPLAIN_REPORT_H
#define GRADER_REPORT_EXPLAIN_REPORT_H

#include "base/terminal.h"
#include "base/text.h"
#include "grader/judge/result.h"
#include "grader/report/advisor.h"
#include "grader/report/explain.h"
#include "grader/report/ncu.h"

/* ==== explain report ============================================================================================== */

/* One timed case that was run. */
typedef struct ExplainedCase {
    const CaseResult *item;
    int number; /* among the problem's timed cases, from 1 */
    Explanation explanation;
    Advice advice[ADVISOR_MOST];
    size_t advice_count;
    double measured_s; /* on a real GPU; 0: not measured */
} ExplainedCase;

typedef struct ExplainReport {
    const Result *result; /* of the cases that were run, which are accepted */
    const Submission *submission;
    const ExplainedCase *cases; /* [case_count] */
    size_t case_count;
    int timed_count;            /* timed cases of the problem, which may be more than were run */
    const ExplainedCase *shown; /* the one that is shown line by line */
    const char *gpu;            /* name of the real GPU, if something was measured on one */
    const NcuMeasurement *measurement;
    const char *note;      /* why Nsight Compute measured nothing; NULL: it did, or nobody asked for it */
    const char *time_note; /* likewise, why no times were measured */
} ExplainReport;

/* The rows of explain.json. */
extern const struct RecordTable explain_table;

void explain_report_write(const ExplainReport *report, TerminalStyle style, Text *out);

/* ==== explain json ================================================================================================ */

/* An explanation as explain.json (docs/reference/formats.md). */

void explain_json(const ExplainReport *report, Text *out);

#endif
