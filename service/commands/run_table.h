/* run_table.h - submissions as a table, one line each, as wide as the terminal.  */
#ifndef SERVICE_COMMANDS_RUN_TABLE_H
#define SERVICE_COMMANDS_RUN_TABLE_H

#include "base/text.h"
#include "grader/terminal/terminal.h"
#include "service/commands/remote_submission.h"

#include <stddef.h>

void run_table(const RemoteSubmission *submissions, size_t count, TerminalStyle style, Text *out);

/* Adds a moment as the service writes it, "2026-01-31T12:00:00Z", in the user's time zone by a format of strftime(); as it
 * stands where it is none. */
void run_table_add_moment(const char *moment, const char *format, Text *out);
/* Adds the verdict of one that is judged, else where it stands: "judging", "waiting, 3 ahead". */
void run_table_add_state(const RemoteSubmission *submission, Text *out);
/* Adds a cell of a table: terminal_pad() of one line that may hold anything, with colour where it is a verdict. */
void run_table_add_cell(const char *text, int columns, Text *out);
void run_table_add_state_cell(const RemoteSubmission *submission, int columns, TerminalStyle style, Text *out);

/* What a submission counts for, where the server has a class (`counts_for` in docs/reference/api.md): a line for each assignment. */
void run_table_add_counting(const RemoteSubmission *submission, Text *out);
/* The same of a list, where submissions of which the same can be said share a line: "12, 11: counts for ...". */
void run_table_add_all_counting(const RemoteSubmission *submissions, size_t count, Text *out);

#endif
