/* report_times.h - the times of an accepted submission: its score, and a table of the timed cases.  */
#ifndef GRADER_REPORT_REPORT_TIMES_H
#define GRADER_REPORT_REPORT_TIMES_H

#include "base/text.h"
#include "grader/result/result.h"
#include "grader/terminal/terminal.h"

/* The score, with its uncertainty, and the throughput. */
void report_add_score(const Result *result, TerminalStyle style, Text *out);
/* A table of the timed cases. For measured times also how they were measured, and the state of the GPU. */
void report_add_timed_cases(const Result *result, TerminalStyle style, Text *out);

#endif
