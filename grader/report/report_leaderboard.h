/* report_leaderboard.h - a leaderboard as a table.  */
#ifndef GRADER_REPORT_REPORT_LEADERBOARD_H
#define GRADER_REPORT_REPORT_LEADERBOARD_H

#include "base/text.h"
#include "grader/result/result.h"
#include "leaderboard/standing.h"

/* `times` is the label that device_time_label() gives, "" for measured times. */
void report_leaderboard(const Problem *problem, const Board *board, const char *times, const Standing *standings,
                        size_t count, Text *out);

#endif
