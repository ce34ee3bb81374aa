/* run_comparison_report.h - the comparison of two runs for people, and as JSON.  */
#ifndef SERVICE_CLIENT_RUN_COMPARISON_REPORT_H
#define SERVICE_CLIENT_RUN_COMPARISON_REPORT_H

#include "base/text.h"
#include "grader/terminal/terminal.h"
#include "service/client/run_comparison.h"

void run_comparison_report(const RunComparison *comparison, TerminalStyle style, Text *out);
/* Adds everything to an object (docs/formats.md). */
void run_comparison_put(const RunComparison *comparison, cJSON *object);

#endif
