/* report_retime.h - two orders of a board's best: by their stored times, and as timed side by side.  */
#ifndef GRADER_REPORT_REPORT_RETIME_H
#define GRADER_REPORT_REPORT_RETIME_H

#include "base/text.h"
#include "grader/ranking/retime.h"

void report_retime(const Retiming *retiming, Text *out);

#endif
