/* report.h - what a person reads on the terminal after a grading, or asking for the leaderboard.  */
#ifndef GRADER_REPORT_REPORT_H
#define GRADER_REPORT_REPORT_H

#include "base/text.h"
#include "grader/result/result.h"
#include "grader/terminal/terminal.h"
#include "leaderboard/standing.h"

#include <stdbool.h>

void report_write(const Result *result, TerminalStyle style, Text *out);

/* One board as a table; `times` as device_time_label() calls them. */
void report_leaderboard(const Problem *problem, const Board *board, const char *times, const Standing *standings,
                        size_t count, Text *out);

/* What the cost model (simgpu/cost/cost.h) calls "lsu", in words: "load/store units". */
const char *report_limiter_words(const char *limiter);

#endif
