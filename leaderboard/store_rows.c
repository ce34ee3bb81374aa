/* store_rows.c - adds rows to the store and reads them back.  */
#include "leaderboard/database.h"
#include "leaderboard/store.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <string.h>

/* ---- adding ------------------------------------------------------------------------------------------------------ */

/* The columns of a time stay NULL for a run without one. */
static Status insert_run(Store *store, const Run *run, int64_t *id, Message *why)
{
    Status status = database_do(
        store, NULL, why,
        "INSERT INTO runs (id, time_utc, person, problem, revision, device, epoch, device_name, driver, toolkit, judge,"
        " sandbox, verdict, rank_status, score_ms, uncertainty, machine_code, source_hash, file_name, sitting, cases)"
        " VALUES (max(?21, (SELECT coalesce(max(id), 0) + 1 FROM runs)), ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, CASE WHEN ?14 > 0 THEN ?14 END,"
        " CASE WHEN ?14 > 0 THEN ?15 END, ?16, ?17, ?18, ?19, ?20)",
        "tttttitttttttddttttti", run->time_utc, run->person, run->board.problem, run->board.revision, run->board.device,
        (int64_t)run->board.epoch, run->device_name, run->driver, run->toolkit, run->judge, run->sandbox, run->verdict,
        run->rank_status, run->time.ms, run->time.uncertainty, run->machine_code, run->source_hash, run->file_name,
        run->sitting, run->cases, run->least_id);
    const int64_t added = sqlite3_last_insert_rowid(store->database);
    if (status == STATUS_OK && run->time.model[0] != '\0')
        status = database_do(store, NULL, why, "INSERT INTO run_models (run, model) VALUES (?1, ?2)", "it", added,
                             run->time.model);
    if (id != NULL)
        *id = added;
    return status;
}

/* Adds the source, unless the same text is there already. */
Status store_put_source(Store *store, const char *source_hash, const char *source, Message *why)
{
    return database_do(store, NULL, why,
                       "INSERT INTO sources (source_hash, source) VALUES (?1, ?2) ON CONFLICT (source_hash) DO NOTHING",
                       "tt", source_hash, source);
}

Status store_put_run(Store *store, const Run *run, int64_t *id, Message *why)
{
    TRY(store_put_source(store, run->source_hash, run->source, why));
    return insert_run(store, run, id, why);
}

Status store_add_run(Store *store, const Run *run, int64_t *id, Message *why)
{
    TRY(database_begin(store, why));
    return database_end(store, store_put_run(store, run, id, why), why);
}

Status store_add_reference(Store *store, const Board *board, const ReferenceTime *reference, Message *why)
{
    return database_do(store, NULL, why,
                       "INSERT INTO reference_times (time_utc, name, problem, revision, device, epoch, score_ms,"
                       " uncertainty, source_hash, sitting, cases)"
                       " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, coalesce(?10, '{}'), coalesce(?11, '[]'))",
                       "tttttiddttt", reference->time_utc, reference->name, board->problem, board->revision,
                       board->device, (int64_t)board->epoch, reference->time.ms, reference->time.uncertainty,
                       reference->source_hash, reference->sitting, reference->cases);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* The time of which two columns next to each other have milliseconds and uncertainty, and `model` the terms. */
static MeasuredTime take_time(sqlite3_stmt *row, int ms, int model)
{
    return time_made(sqlite3_column_double(row, ms), sqlite3_column_double(row, ms + 1),
                     (const char *)sqlite3_column_text(row, model));
}

static void take_stored_run(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(StoredRun *)item = (StoredRun){
        .id = sqlite3_column_int64(row, 0),
        .time_utc = database_text(arena, row, 1),
        .person = database_text(arena, row, 2),
        .machine_code = database_text(arena, row, 3),
        .time = take_time(row, 4, 6),
    };
}

Status store_runs(Store *store, const Board *board, Arena *arena, StoredRun **runs, size_t *count, Message *why)
{
    return database_list(
        store, arena, sizeof **runs, take_stored_run, runs, count, why,
        "SELECT run, time_utc, person, machine_code, score_ms, uncertainty, model FROM board_runs WHERE problem = ?1"
        " AND revision = ?2 AND device = ?3 AND epoch = ?4 AND state = 'ranked' ORDER BY run",
        "ttti", board->problem, board->revision, board->device, (int64_t)board->epoch);
}

Status store_runs_of(Store *store, const Board *board, const char *person, Arena *arena, StoredRun **runs,
                     size_t *count, Message *why)
{
    return database_list(
        store, arena, sizeof **runs, take_stored_run, runs, count, why,
        "SELECT run, time_utc, person, machine_code, score_ms, uncertainty, model FROM board_runs WHERE problem = ?1"
        " AND revision = ?2 AND device = ?3 AND epoch = ?4 AND person = ?5 AND state = 'ranked'",
        "tttit", board->problem, board->revision, board->device, (int64_t)board->epoch, person);
}

/* The minimum of all before is SQLite's, so that a long history is not copied for a few rows of it. A long one is found in the index of
 * boards, the last few runs of a store among its rows: a plus keeps SQLite from using the index. */
Status store_records(Store *store, const Board *board, int64_t first, double below_ms, Arena *arena, StoredRun **runs,
                     size_t *count, Message *why)
{
#define RECORDS(PLUS)                                                                                                  \
    "SELECT run, time_utc, person, machine_code, score_ms, uncertainty, model FROM (SELECT *, min(score_ms) OVER"      \
    " (ORDER BY run ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS least_ms FROM board_runs WHERE " PLUS         \
    "problem = ?1 AND " PLUS "revision = ?2 AND " PLUS "device = ?3 AND " PLUS "epoch = ?4 AND run >= ?5"              \
    " AND state = 'ranked' AND (?6 = 0 OR score_ms < ?6)) WHERE least_ms IS NULL OR score_ms < least_ms ORDER BY run"
    enum { FEW = 1000 };
    int64_t since = 0;
    TRY(database_int(store, &since, why, "SELECT max(id) - ?1 FROM runs", "i", first));
    return database_list(store, arena, sizeof **runs, take_stored_run, runs, count, why,
                         since < FEW ? RECORDS("+") : RECORDS(""), "tttiid", board->problem, board->revision,
                         board->device, (int64_t)board->epoch, first, below_ms);
}

Status store_times_again(Store *store, int64_t run, Arena *arena, StoredRun **runs, size_t *count, Message *why)
{
    return database_list(
        store, arena, sizeof **runs, take_stored_run, runs, count, why,
        "SELECT a.id, a.time_utc, a.person, a.machine_code, a.score_ms, a.uncertainty, model FROM runs f JOIN runs a"
        " ON a.id > f.id AND a.source_hash = f.source_hash AND a.person = f.person AND a.problem = f.problem"
        " AND a.revision = f.revision AND a.device = f.device AND a.epoch = f.epoch"
        " LEFT JOIN run_models ON run_models.run = a.id"
        " WHERE f.id = ?1 AND a.score_ms > 0 ORDER BY a.id",
        "i", run);
}

typedef struct BestCaseTime {
    double ms;
    int64_t run;
} BestCaseTime;

static void take_best(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(BestCaseTime *)item = (BestCaseTime){sqlite3_column_double(row, 0), sqlite3_column_int64(row, 1)};
}

/* In the order of the primary key, so that the first row that ranks is the answer. */
static const char best_case_time[] =
    "SELECT time_ms, run FROM case_times JOIN run_states USING (run)"
    " WHERE problem = ?1 AND revision = ?2 AND device = ?3 AND epoch = ?4 AND name = ?5"
    " AND state = 'ranked' ORDER BY time_ms, run LIMIT 1";

/* Teachers accept few runs, so these lead to the times. */
static const char best_vetted_case_time[] =
    "SELECT time_ms, t.run FROM rulings CROSS JOIN recorded_case_times t ON t.run = rulings.run"
    " WHERE kind = 'accept' AND rulings.id = (SELECT max(id) FROM rulings r WHERE r.run = t.run)"
    " AND problem = ?1 AND revision = ?2 AND device = ?3 AND epoch = ?4 AND name = ?5"
    " ORDER BY time_ms, t.run LIMIT 1";

Status store_best_case_time(Store *store, const Board *board, const char *name, bool vetted, double *ms, int64_t *run,
                            Message *why)
{
    BestCaseTime best = {.run = *run};
    Status status = database_row(store, NULL, take_best, &best, why, vetted ? best_vetted_case_time : best_case_time,
                                 "tttit", board->problem, board->revision, board->device, (int64_t)board->epoch, name);
    *ms = best.ms;
    *run = best.run;
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

/* NULL for NULL. */
static const char *known_text(Arena *arena, sqlite3_stmt *row, int column)
{
    return sqlite3_column_type(row, column) == SQLITE_NULL ? NULL : database_text(arena, row, column);
}

/* The columns that take_recorded_run() expects, without the source. */
#define RECORDED_COLUMNS                                                                                               \
    "id, time_utc, person, problem, revision, device, epoch, device_name, driver, toolkit, judge, sandbox, verdict,"   \
    " rank_status, score_ms, uncertainty, machine_code, runs.source_hash, file_name, sitting, cases, state,"           \
    " (SELECT model FROM run_models WHERE run_models.run = runs.id)"
enum { RECORDED_COLUMN_COUNT = 23 };

static void take_recorded_run(Arena *arena, sqlite3_stmt *row, void *item)
{
    RecordedRun *recorded = item;
    bool has_source = sqlite3_column_count(row) > RECORDED_COLUMN_COUNT;
    *recorded = (RecordedRun){
        .id = sqlite3_column_int64(row, 0),
        .run =
            {
                .time_utc = database_text(arena, row, 1),
                .person = database_text(arena, row, 2),
                .board = {.problem = database_text(arena, row, 3),
                          .revision = database_text(arena, row, 4),
                          .device = database_text(arena, row, 5),
                          .epoch = sqlite3_column_int(row, 6)},
                .device_name = database_text(arena, row, 7),
                .driver = database_text(arena, row, 8),
                .toolkit = database_text(arena, row, 9),
                .judge = database_text(arena, row, 10),
                .sandbox = database_text(arena, row, 11),
                .verdict = database_text(arena, row, 12),
                .rank_status = database_text(arena, row, 13),
                .time = take_time(row, 14, 22),
                .machine_code = known_text(arena, row, 16),
                .source_hash = database_text(arena, row, 17),
                .file_name = database_text(arena, row, 18),
                .sitting = database_text(arena, row, 19),
                .cases = database_text(arena, row, 20),
                .source = has_source ? known_text(arena, row, RECORDED_COLUMN_COUNT) : NULL,
            },
        .state = database_text(arena, row, 21),
    };
}

Status store_run(Store *store, int64_t id, Arena *arena, RecordedRun *run, Message *why)
{
    Status status = database_row(store, arena, take_recorded_run, run, why,
                                 "SELECT " RECORDED_COLUMNS ", (SELECT source FROM sources"
                                 " WHERE sources.source_hash = runs.source_hash)"
                                 " FROM runs JOIN run_states ON run = id WHERE id = ?1",
                                 "i", id);
    if (status == STATUS_NOT_FOUND)
        return fail(STATUS_NOT_FOUND, why, "%s: there is no run %" PRId64, store->path, id);
    return status;
}

Status store_list_runs(Store *store, const char *problem, const char *state, Arena *arena, RecordedRun **runs,
                       size_t *count, Message *why)
{
#define RUNS_IN(WHICH)                                                                                                 \
    "SELECT " RECORDED_COLUMNS " FROM runs JOIN run_states ON run = id WHERE (?1 IS NULL OR problem = ?1)" WHICH       \
    " ORDER BY id"
    return database_list(
        store, arena, sizeof **runs, take_recorded_run, runs, count, why,
        state == NULL ? RUNS_IN("")
        : strcmp(state, "quarantined") == 0 /* few, and their rank_status says so */
            ? RUNS_IN(" AND id IN (SELECT id FROM runs WHERE rank_status LIKE 'quarantined:%') AND state = ?2")
            : RUNS_IN(" AND id IN (SELECT run FROM run_states WHERE state = ?2)"),
        "tt", problem, state);
}

Status store_next_runs(Store *store, int64_t after, size_t most, Arena *arena, RecordedRun **runs, size_t *count,
                       Message *why)
{
    return database_list(store, arena, sizeof **runs, take_recorded_run, runs, count, why,
                         "SELECT " RECORDED_COLUMNS " FROM runs JOIN run_states ON run = id WHERE id > ?1 ORDER BY id"
                         " LIMIT ?2",
                         "ii", after, (int64_t)most);
}

static void take_board(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(Board *)item = (Board){
        .problem = database_text(arena, row, 0),
        .revision = database_text(arena, row, 1),
        .device = database_text(arena, row, 2),
        .epoch = sqlite3_column_int(row, 3),
        .is_older = sqlite3_column_int(row, 4) != 0,
    };
}

Status store_boards(Store *store, const char *problem, const char *revision, Arena *arena, Board **boards,
                    size_t *count, Message *why)
{
    /* From device to device and from epoch to epoch through the index, so that the number of runs does not matter. */
#define NEWEST_EPOCH(DEVICE, MORE)                                                                                     \
    "(SELECT epoch FROM board_runs b WHERE problem = ?1 AND revision = ?2 AND b.device = " DEVICE                      \
    " AND state = 'ranked'" MORE " ORDER BY epoch DESC LIMIT 1)"
    return database_list(
        store, arena, sizeof **boards, take_board, boards, count, why,
        "WITH RECURSIVE devices(device) AS (SELECT min(device) FROM runs WHERE problem = ?1 AND revision = ?2 UNION ALL"
        "  SELECT (SELECT min(device) FROM runs WHERE problem = ?1 AND revision = ?2 AND device > devices.device)"
        "  FROM devices WHERE device IS NOT NULL),"
        " newest(device, epoch) AS (SELECT device, " NEWEST_EPOCH(
            "devices.device",
            "") " FROM devices),"
                " known(device, epoch, is_older) AS (SELECT device, epoch, 0 FROM newest UNION ALL"
                "  SELECT device, " NEWEST_EPOCH(
                    "newest.device",
                    " AND b.epoch < newest.epoch") ", 1 FROM newest)"
                                                   " SELECT ?1, ?2, device, epoch, is_older FROM known WHERE epoch IS NOT NULL ORDER BY device, is_older",
        "tt", problem, revision);
}

static void take_reference(Arena *arena, sqlite3_stmt *row, void *item)
{
    ReferenceTime *reference = item;
    *reference = (ReferenceTime){
        .name = database_text(arena, row, 0),
        .source_hash = database_text(arena, row, 1),
        .time_utc = database_text(arena, row, 2),
        .time = {.ms = sqlite3_column_double(row, 3), .uncertainty = sqlite3_column_double(row, 4)},
        .cases = database_text(arena, row, 5),
    };
    reference_find_model(reference, arena);
}

Status store_references(Store *store, const Board *board, Arena *arena, ReferenceTime **references, size_t *count,
                        Message *why)
{
    return database_list(store, arena, sizeof **references, take_reference, references, count, why,
                         "SELECT name, source_hash, time_utc, score_ms, uncertainty, cases FROM reference_times"
                         " WHERE id IN (SELECT max(id) FROM reference_times WHERE problem = ?1 AND revision = ?2"
                         " AND device = ?3 AND epoch = ?4 GROUP BY name) ORDER BY name",
                         "ttti", board->problem, board->revision, board->device, (int64_t)board->epoch);
}

static void take_recorded_reference(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(RecordedReference *)item = (RecordedReference){
        .id = sqlite3_column_int64(row, 0),
        .board = {.problem = database_text(arena, row, 1),
                  .revision = database_text(arena, row, 2),
                  .device = database_text(arena, row, 3),
                  .epoch = sqlite3_column_int(row, 4)},
        .reference = {.name = database_text(arena, row, 5),
                      .source_hash = database_text(arena, row, 6),
                      .time_utc = database_text(arena, row, 7),
                      .time = {.ms = sqlite3_column_double(row, 8), .uncertainty = sqlite3_column_double(row, 9)},
                      .sitting = database_text(arena, row, 10),
                      .cases = database_text(arena, row, 11)},
    };
}

Status store_list_references(Store *store, Arena *arena, RecordedReference **references, size_t *count, Message *why)
{
    return database_list(store, arena, sizeof **references, take_recorded_reference, references, count, why,
                         "SELECT id, problem, revision, device, epoch, name, source_hash, time_utc, score_ms,"
                         " uncertainty, sitting, cases FROM reference_times ORDER BY id",
                         "");
}

static void take_recorded_source(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(RecordedSource *)item = (RecordedSource){
        .id = sqlite3_column_int64(row, 0),
        .source_hash = database_text(arena, row, 1),
        .source = arena_copy(arena, (const char *)sqlite3_column_text(row, 2), (size_t)sqlite3_column_bytes(row, 2)),
        .bytes = (size_t)sqlite3_column_bytes(row, 2),
    };
}

Status store_list_sources(Store *store, Arena *arena, RecordedSource **sources, size_t *count, Message *why)
{
    return database_list(store, arena, sizeof **sources, take_recorded_source, sources, count, why,
                         "SELECT id, source_hash, source FROM sources ORDER BY id", "");
}

Status store_begin_reading(Store *store, Message *why)
{
    return database_run(store, "BEGIN", why);
}

Status store_end_reading(Store *store, Message *why)
{
    return database_run(store, "COMMIT", why);
}
