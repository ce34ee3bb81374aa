/* history_table.h - a person's submissions to one problem, oldest first, each with the change of time against the one before
 * and the best so far.
 *
 * Only times on the same device are compared.  */
#ifndef SERVICE_CLIENT_HISTORY_TABLE_H
#define SERVICE_CLIENT_HISTORY_TABLE_H

#include "base/arena.h"
#include "base/json.h"
#include "base/text.h"
#include "grader/terminal/terminal.h"
#include "service/client/remote_submission.h"
#include "grader/report/time_change.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct HistoryEntry {
    const RemoteSubmission *submission;
    TimeChange change; /* against the newest before it that has a time */
    MeasuredTime best; /* so far; ms 0: none */
    bool is_best;      /* this one is */
} HistoryEntry;

/* The entries of `problem` among submissions that are listed newest first; in the arena, oldest first. */
HistoryEntry *history_of(const RemoteSubmission *submissions, size_t count, const char *problem, Arena *arena,
                         size_t *entry_count);

void history_table(const char *problem, const HistoryEntry *entries, size_t count, TerminalStyle style, Text *out);
/* A list of submissions (docs/api.md), each with "change" and "best_ms". */
cJSON *history_json(const HistoryEntry *entries, size_t count);

#endif
