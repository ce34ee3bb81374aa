/* explain_report.h - an explanation as text for people.  */
#ifndef GRADER_EXPLAIN_EXPLAIN_REPORT_H
#define GRADER_EXPLAIN_EXPLAIN_REPORT_H

#include "base/text.h"
#include "grader/explain/advice.h"
#include "grader/explain/explain.h"
#include "grader/explain/ncu.h"
#include "grader/result/result.h"
#include "grader/terminal/terminal.h"

typedef struct ExplainReport {
    const Result *result; /* of the one case that was run, which is accepted */
    const Submission *submission;
    const Explanation *explanation;
    const Advice *advice; /* [advice_count] */
    size_t advice_count;
    const char *gpu; /* name of the real GPU, if Nsight Compute measured on one */
    const NcuMeasurement *measurement;
    const char *note; /* why nothing was measured; NULL: something was, or nobody asked for it */
} ExplainReport;

void explain_report_write(const ExplainReport *report, TerminalStyle style, Text *out);

#endif
