/* report_leaderboard.h - a leaderboard as a table.  */
#ifndef GRADER_REPORT_REPORT_LEADERBOARD_H
#define GRADER_REPORT_REPORT_LEADERBOARD_H

#include "base/status.h"
#include "base/text.h"
#include "grader/judge/result.h"
#include "grader/ranking/retime.h"
#include "leaderboard/store.h"

#include <stddef.h>

/* ==== report quarantine =========================================================================================== */

/* The runs that wait in quarantine, with what a teacher needs to decide. */

/* Lists each run with its reason, and for each timed case both times, the best known time and their ratio. */
MUST_USE Status report_quarantine(const RecordedRun *runs, size_t count, Text *out, Message *why);

/* The same as JSON (docs/reference/formats.md), with the source and the samples of both sittings. */
MUST_USE Status report_quarantine_json(const RecordedRun *runs, size_t count, Text *out, Message *why);
extern const struct RecordTable quarantine_table;

/* ==== report retime =============================================================================================== */

/* Two orders of a board's best: by their stored times, and as timed side by side. */

void report_retime(const Retiming *retiming, Text *out);

/* A board of modelled times against the times of another device: each with its interval, and whether that holds the other
 * time. */
void report_check_board(const Retiming *retiming, Text *out);

/* ==== report leaderboard ========================================================================================== */

/* `times` is the label that device_time_label() gives, "" for measured times. */
void report_leaderboard(const Problem *problem, const Board *board, const char *times, const Standing *standings,
                        size_t count, Text *out);

#endif
