/* report.h - what a person reads on the terminal after a grading.  */
#ifndef GRADER_REPORT_REPORT_H
#define GRADER_REPORT_REPORT_H

#include "base/text.h"
#include "grader/result/result.h"
#include "grader/terminal/terminal.h"

void report_write(const Result *result, TerminalStyle style, Text *out);

#endif
