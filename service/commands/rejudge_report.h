/* rejudge_report.h - rejudgings as text for people, and as JSON (docs/formats.md).  */
#ifndef SERVICE_COMMANDS_REJUDGE_REPORT_H
#define SERVICE_COMMANDS_REJUDGE_REPORT_H

#include "base/json.h"
#include "base/text.h"
#include "service/store/batch_table.h"
#include "service/store/batches.h"

#include <stddef.h>

/* A line each; "no rejudgings yet". */
void rejudge_report_list(const Batch *batches, size_t count, Text *out);
cJSON *rejudge_report_batch_json(const Batch *batch);

/* What a new batch holds, and what it skips. */
void rejudge_report_opened(const Batch *batch, const BatchSkip *skips, size_t skip_count, Text *out);
cJSON *rejudge_report_skips_json(const BatchSkip *skips, size_t skip_count);

/* A line for each that a batch skips. */
void rejudge_report_skips(const BatchSkip *skips, size_t skip_count, Text *out);
/* How far a batch is, and a line for each submission that it changes. */
void rejudge_report_table(const Batch *batch, const BatchRow *rows, size_t count, Text *out);
/* All submissions. */
cJSON *rejudge_report_rows_json(const BatchRow *rows, size_t count);

#endif
