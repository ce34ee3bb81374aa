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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== percentile ================================================================================================== */

/* The standing of a time among others, if all of them are uncertain.
 *
 * Two times tie unless they differ by more than the root of the sum of all squared uncertainties: those of both samples,
 * and that of the model for the difference of the two. A tie counts half, and the interval shows the percentile if all
 * ties were lost or won.
 *
 * Model   the error of a modelled time is a sum of terms, in natural logarithms: one for what limits the kernel, one for
 *         each doubt (simgpu/cost/hardware_profile.h). Each term has one error for all kernels that have it, so the
 *         difference of two times has the difference of their terms: where the same limits both and the same doubts
 *         concern both, the model errs alike, and the samples alone decide; a kernel that memory limits and one that
 *         computing limits are told apart only if both intervals allow it. The terms of a score are the means of its
 *         cases', so cases in which two files are limited alike take no part.
 * Source  pairs of 375 cases of 117 kernels on an H200 (docs/explanation/timing-and-ranks.md). */

enum { TIME_MODEL_BYTES = 256 }; /* room for a limit and every doubt */

typedef struct MeasuredTime {
    double ms;
    double uncertainty; /* half-width of the 95 % interval of the sample, relative to ms: 0.005 is half a percent */
    char model[TIME_MODEL_BYTES]; /* its terms, "lsu 0.293, textures 0.322"; "": a clock took the time */
} MeasuredTime;

/* `model` may be NULL. */
MeasuredTime time_made(double ms, double uncertainty, const char *model);

/* Nine in ten times of the GPU lie within this factor of a modelled time, up or down; 1: a clock took it. */
double time_model_factor(MeasuredTime time);
/* How far the farther end of its interval is, relative to ms: by the model, else the uncertainty. */
double time_reach(MeasuredTime time);
/* The uncertainty of the ratio of two times, relative. */
double time_ratio_uncertainty(MeasuredTime a, MeasuredTime b);

/* Gives a mean of times the means of their terms; those that do not fit become one, "others". */
void time_mean_model(const MeasuredTime *times, size_t count, MeasuredTime *mean);
/* False if a text is no list of terms. */
bool time_model_is_valid(const char *model);

typedef struct Percentile {
    size_t n; /* number of others; if 0, the other fields mean nothing */
    size_t slower, tied, faster;
    double value;     /* 100 (slower + tied / 2) / n */
    double low, high; /* 100 slower / n, 100 (slower + tied) / n */
} Percentile;

/* True if `a` is significantly faster than `b`. */
bool time_is_faster(MeasuredTime a, MeasuredTime b);
/* The same by the samples alone, for two files whose order is known from elsewhere. */
bool time_is_shorter(MeasuredTime a, MeasuredTime b);

Percentile percentile_among(MeasuredTime mine, const MeasuredTime *others, size_t n);
/* percentiles[count]: of each time among all others, in time that grows as count log(count) where uncertainties vary
 * little. */
void percentiles_among_all(const MeasuredTime *times, size_t count, Percentile *percentiles);

/* ==== case times ================================================================================================== */

/* The times of the timed cases in the `cases` of a result.json, as runs and reference times keep them. */

typedef struct CaseTime {
    const char *name;
    MeasuredTime time;
} CaseTime;

/* Reads the cases that have a time from a JSON list, in its order, into `arena`; messages call it `path`. NULL is an
 * empty list. */
MUST_USE Status case_times_read(const char *path, const char *cases, Arena *arena, CaseTime **times, size_t *count,
                                Message *why);

/* The time of the case with this name; NULL: none. */
const MeasuredTime *case_times_find(const CaseTime *times, size_t count, const char *name);

/* ==== store ======================================================================================================= */

enum { STORE_SCHEMA_VERSION = 8 };

typedef struct Store Store;
typedef enum StoreMode { STORE_READ, STORE_WRITE } StoreMode;

/* Times can be compared only within one board. */
typedef struct Board {
    const char *problem, *revision, *device;
    int epoch;
    bool is_older; /* of store_boards(): there is one of a newer epoch */
} Board;

typedef struct Run { /* one judged submission; all texts are UTF-8 */
    Board board;
    const char *time_utc, *person;
    const char *device_name, *driver, *toolkit, *judge, *sandbox;
    const char *verdict, *rank_status;
    MeasuredTime time;        /* ms 0: no time */
    int64_t least_id;         /* when it is recorded: its number is not below; 0: it may be any */
    const char *machine_code; /* NULL: nothing was compiled */
    const char *source_hash, *source, *file_name;
    const char *sitting, *cases; /* JSON */
} Run;

typedef struct StoredRun { /* a run that ranks */
    int64_t id;
    const char *time_utc, *person, *machine_code;
    MeasuredTime time;
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
    const char *cases;   /* JSON; NULL: the times of its cases are unknown */
    const char *sitting; /* JSON; NULL: unknown. Only written */
} ReferenceTime;

/* Sets the terms of its time, which are those of its cases. */
void reference_find_model(ReferenceTime *reference, Arena *arena);

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

/* Looks for damage in the whole file. store_open() does so up to 16 MiB. */
MUST_USE Status store_check_pages(Store *store, Message *why);

/* Also keeps the source, unless it is there already. `id` gets the number of the run; it may be NULL. */
MUST_USE Status store_add_run(Store *store, const Run *run, int64_t *id, Message *why);
/* The parts of store_add_run(), within a transaction that the caller begins by database_begin() and ends by database_end(). */
MUST_USE Status store_put_source(Store *store, const char *source_hash, const char *source, Message *why);
MUST_USE Status store_put_run(Store *store, const Run *run, int64_t *id, Message *why);
/* The runs of a board that rank, oldest first, allocated in `arena`: those that the judge ranked or a teacher accepted,
 * and that no teacher retracted or rejected. */
MUST_USE Status store_runs(Store *store, const Board *board, Arena *arena, StoredRun **runs, size_t *count,
                           Message *why);
/* Those of one person, in any order. */
MUST_USE Status store_runs_of(Store *store, const Board *board, const char *person, Arena *arena, StoredRun **runs,
                              size_t *count, Message *why);
/* Those from number `first` on that were shorter than all of these before them and than `below_ms` (0: any), oldest first. */
MUST_USE Status store_records(Store *store, const Board *board, int64_t first, double below_ms, Arena *arena,
                              StoredRun **runs, size_t *count, Message *why);
/* The shortest time of a case among the runs of a board that rank, and whose it is; of equal times the oldest.
 * `vetted`: only among those that a teacher accepted. `*ms` 0: there is none. */
MUST_USE Status store_best_case_time(Store *store, const Board *board, const char *name, bool vetted, double *ms,
                                     int64_t *run, Message *why);
/* The times of the same source by the same person on the same board that came after a run, oldest first. */
MUST_USE Status store_times_again(Store *store, int64_t run, Arena *arena, StoredRun **runs, size_t *count,
                                  Message *why);
/* One run with its source, which is NULL if the database does not have it. NOT_FOUND: no such run. */
MUST_USE Status store_run(Store *store, int64_t id, Arena *arena, RecordedRun *run, Message *why);
/* The runs of a problem (NULL: of all) in one state (NULL: in any), oldest first, without their sources. */
MUST_USE Status store_list_runs(Store *store, const char *problem, const char *state, Arena *arena, RecordedRun **runs,
                                size_t *count, Message *why);
/* The runs after number `after`, at most `most`, oldest first, without their sources. */
MUST_USE Status store_next_runs(Store *store, int64_t after, size_t most, Arena *arena, RecordedRun **runs,
                                size_t *count, Message *why);
/* The boards with a run that ranks of this revision of a problem. For each device the newest epoch comes first, and then the one before
 * it: after an upgrade that starts a new epoch its people stay on the board until they are judged again, which takes its runs away. */
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

/* ==== references ================================================================================================== */

/* Times of reference solutions as a file, leaderboard/references/<device>.json (docs/reference/formats.md).
 *
 * A machine can use the times that another one with the same model of GPU has taken. */

/* The rows of such a file. */
extern const struct RecordTable references_table;

/* Reads the times of one board, in the order of the file; none if the file does not exist or has no times for this
 * problem, revision and epoch. */
MUST_USE Status references_read(const char *path, const Board *board, Arena *arena, ReferenceTime **times,
                                size_t *count, Message *why);

/* Replaces this problem's times in the file by those of one board. Times of other problems stay if they are of the same
 * epoch. */
MUST_USE Status references_write(const char *path, const Board *board, const ReferenceTime *times, size_t count,
                                 Message *why);

/* ==== standing ==================================================================================================== */

/* The class in order: each person's best ranked run on one board.
 *
 * A person's runs of the same code, for device and host, are pooled: their time is the median of all, so that nobody
 * gains by submitting a file again and again. Nobody's runs are pooled with another person's, who could spoil them. A
 * person's best is the fastest code that the person has submitted. */

typedef struct Standing {
    const char *person;
    const char *time_utc;  /* of the person's latest run of that code */
    MeasuredTime time;     /* pooled */
    size_t rank;           /* 1 + the number of people who are significantly faster; ties share a rank */
    Percentile percentile; /* among the others */
    int64_t run;           /* number of the latest run of that code */
} Standing;

/* Sorted with the fastest first. The array lives in `arena`; its strings are those of `runs`. */
Standing *standings_of(const StoredRun *runs, size_t run_count, Arena *arena, size_t *count);

/* A board as it is now. Its people stay in memory as long as the store is open: whoever asks again pays for the people with runs or
 * rulings since then. */
typedef struct Standings {
    Standing *people; /* fastest first */
    size_t count;
    StoredRun
        *best; /* each run that was significantly faster than all before, oldest first; without its machine code */
    size_t best_count;
    int64_t newest_run; /* of those that count; 0: none */
} Standings;

/* Copies everything into `arena`. */
MUST_USE Status store_standings(Store *store, const Board *board, Arena *arena, Standings *standings, Message *why);
/* Where a person's run stands among the other people: with the pooled time of its code if it ranks, else with `time`. */
MUST_USE Status store_place(Store *store, const Board *board, const char *person, int64_t run, MeasuredTime time,
                            Percentile *place, Message *why);

#endif
