/* report_line.h - the pieces that lines of a report begin with or share.  */
#ifndef GRADER_REPORT_REPORT_LINE_H
#define GRADER_REPORT_REPORT_LINE_H

#include "base/text.h"
#include "grader/result/result.h"
#include "grader/terminal/terminal.h"

/* "  time        ": what begins a line. */
void report_add_label(Text *out, const char *label);
const char *report_plus_minus(TerminalStyle style);
/* " (modelled)" behind a time that no clock took, else nothing. */
void report_add_label_of_times(const DeviceInfo *device, Text *out);

#endif
