/* report_line.h - pieces that several lines of a report have in common.  */
#ifndef GRADER_REPORT_REPORT_LINE_H
#define GRADER_REPORT_REPORT_LINE_H

#include "base/text.h"
#include "grader/result/result.h"
#include "grader/terminal/terminal.h"

/* Begins a line: "  time        ". */
void report_add_label(Text *out, const char *label);
const char *report_plus_minus(TerminalStyle style);
/* Adds " (modelled)" if no clock took the times, else nothing. */
void report_add_label_of_times(const DeviceInfo *device, Text *out);

#endif
