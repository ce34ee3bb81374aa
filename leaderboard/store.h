/* store.h - the record of every judged submission, in one SQLite file (schema.sql).
 *
 * Rows are only added. What teachers decide about runs is in rulings.h.
 *
 * A row is acknowledged when store_add_run() returns, and from then on survives a crash of any process and of the
 * machine: write-ahead log, synced at every commit. Any number of processes may read and write at once; a writer waits
 * at most CONVJUDGE_DB_TIMEOUT_MS milliseconds (30,000 unless set) for the others. Not for network file systems, where
 * the log's shared memory does not work.
 *
 * Errors   BUSY: still locked after the wait; NOT_FOUND: no file to read; BAD_INPUT: not a database of ours, damaged,
 *          or written by a newer version; SYSTEM: read-only, disk full. Each with the file's name in one line.  */
#ifndef LEADERBOARD_STORE_H
#define LEADERBOARD_STORE_H

#include "base/arena.h"
#include "base/status.h"
#include "leaderboard/percentile.h"

#include <stddef.h>
#include <stdint.h>

enum { STORE_SCHEMA_VERSION = 5 };

typedef struct Store Store;
typedef enum StoreMode { STORE_READ, STORE_WRITE } StoreMode;

/* Times can be compared only within one board. */
typedef struct Board {
    const char *problem, *revision, *device;
    int epoch;
} Board;

typedef struct Run { /* one judged submission; all texts are UTF-8 */
    Board board;
    const char *time_utc, *person;
    const char *device_name, *driver, *toolkit, *judge, *sandbox;
    const char *verdict, *rank_status;
    MeasuredTime time;        /* ms 0: no time */
    const char *machine_code; /* NULL: nothing was compiled */
    const char *source_hash, *source, *file_name;
    const char *sitting, *cases; /* JSON */
} Run;

typedef struct StoredRun { /* a run that ranks */
    int64_t id;
    const char *time_utc, *person, *machine_code;
    MeasuredTime time;
    const char *cases; /* JSON */
} StoredRun;

typedef struct RecordedRun { /* any run as it is in the database; its source only if asked for */
    int64_t id;
    Run run;
    const char *state; /* of the view run_states: "ranked", "quarantined", ... */
} RecordedRun;

typedef struct ReferenceTime {
    const char *name; /* "naive.cu" */
    const char *source_hash, *time_utc;
    MeasuredTime time;
    const char *cases;   /* JSON (case_times.h); NULL: the times of its cases are unknown */
    const char *sitting; /* JSON; NULL: unknown. Only written */
} ReferenceTime;

typedef struct RecordedReference { /* any row of `reference_times` */
    int64_t id;
    Board board;
    ReferenceTime reference;
} RecordedReference;

typedef struct RecordedSource {
    int64_t id;
    const char *source_hash, *source;
    size_t bytes;
} RecordedSource;

/* STORE_WRITE creates a missing file or table, and fails at once if the file cannot be written. A file of an older
 * version is upgraded, in both modes. */
MUST_USE Status store_open(const char *path, StoreMode mode, Store **store, Message *why);
void store_close(Store *store);

/* Also keeps the source, unless it is there already. `id` gets the number of the run; it may be NULL. */
MUST_USE Status store_add_run(Store *store, const Run *run, int64_t *id, Message *why);
/* The parts of store_add_run(), within a transaction that the caller begins by database_begin() and ends by database_end(). */
MUST_USE Status store_put_source(Store *store, const char *source_hash, const char *source, Message *why);
MUST_USE Status store_put_run(Store *store, const Run *run, int64_t *id, Message *why);
/* The runs of a board that rank, oldest first, allocated in `arena`: those that the judge ranked or a teacher accepted,
 * and that no teacher retracted or rejected. */
MUST_USE Status store_runs(Store *store, const Board *board, Arena *arena, StoredRun **runs, size_t *count,
                           Message *why);
/* The times of the same source by the same person on the same board that came after a run, oldest first. */
MUST_USE Status store_times_again(Store *store, int64_t run, Arena *arena, StoredRun **runs, size_t *count,
                                  Message *why);
/* One run with its source, which is NULL if the database does not have it. NOT_FOUND: no such run. */
MUST_USE Status store_run(Store *store, int64_t id, Arena *arena, RecordedRun *run, Message *why);
/* The runs of a problem (NULL: of all) in one state (NULL: in any), oldest first, without their sources. */
MUST_USE Status store_list_runs(Store *store, const char *problem, const char *state, Arena *arena, RecordedRun **runs,
                                size_t *count, Message *why);
/* The boards with a run that ranks of this revision of a problem; for each device only the newest epoch. */
MUST_USE Status store_boards(Store *store, const char *problem, const char *revision, Arena *arena, Board **boards,
                             size_t *count, Message *why);

MUST_USE Status store_add_reference(Store *store, const Board *board, const ReferenceTime *reference, Message *why);
/* The newest time of each reference solution on a board, sorted by name, allocated in `arena`. */
MUST_USE Status store_references(Store *store, const Board *board, Arena *arena, ReferenceTime **references,
                                 size_t *count, Message *why);

/* Everything in the tables, in the order of their ids. */
MUST_USE Status store_list_references(Store *store, Arena *arena, RecordedReference **references, size_t *count,
                                      Message *why);
MUST_USE Status store_list_sources(Store *store, Arena *arena, RecordedSource **sources, size_t *count, Message *why);

/* Everything that is read between the two is of one moment, whatever others write meanwhile. */
MUST_USE Status store_begin_reading(Store *store, Message *why);
MUST_USE Status store_end_reading(Store *store, Message *why);

#endif
