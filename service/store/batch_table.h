/* batch_table.h - what a rejudging would change: one row for each submission.
 *
 * Before   the newest applied judging of an older batch, with its run. Once the batch is applied, the run is a retracted one.
 * After    what the batch has found so far. Its run is in no table until the batch is applied.
 * Ranks    that of the submission's author, on the board of each run: as it is now, and as it would be if the batch were
 *          applied now. Only while the batch is open.  */
#ifndef SERVICE_STORE_BATCH_TABLE_H
#define SERVICE_STORE_BATCH_TABLE_H

#include "base/arena.h"
#include "base/status.h"
#include "leaderboard/rulings.h"
#include "leaderboard/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct BatchSide { /* a judging, before or after */
    int64_t judging;
    const char *state;   /* of the judging: "recorded", ... */
    const char *verdict; /* ""; until it is recorded */
    int64_t run_id;      /* 0: in no table */
    const Run *run;      /* NULL: none */
    bool ranks;
    size_t rank; /* 0: none */
} BatchSide;

typedef struct BatchRow {
    int64_t submission;
    const char *person, *file_name, *received_utc;
    BatchSide before, after;
    const char *run_state; /* of the run before: "ranked", "retracted", ...; "": there is none */
    Ruling ruling;         /* in force on the run before, which holds for the new one as well; `run` 0: none */
} BatchRow;

/* Sorted by submission. */
MUST_USE Status batch_table(Store *store, int64_t batch, Arena *arena, BatchRow **rows, size_t *count, Message *why);

/* Whether both have times that differ by more than noise (percentile.h). */
bool batch_row_time_differs(const BatchRow *row);
/* Whether the batch has judged the submission, and found another verdict, another time or another rank. */
bool batch_row_changes(const BatchRow *row);

#endif
