/* store_rows.c - adds rows to the store and reads them back.  */
#include "leaderboard/database.h"
#include "leaderboard/store.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdbool.h>

static void bind_board(sqlite3_stmt *statement, const Board *board)
{
    database_bind_text(statement, ":problem", board->problem);
    database_bind_text(statement, ":revision", board->revision);
    database_bind_text(statement, ":device", board->device);
    database_bind_integer(statement, ":epoch", board->epoch);
}

/* Both columns stay NULL for a run without a time. */
static void bind_time(sqlite3_stmt *statement, MeasuredTime time)
{
    if (!(time.ms > 0))
        return;
    sqlite3_bind_double(statement, sqlite3_bind_parameter_index(statement, ":score_ms"), time.ms);
    sqlite3_bind_double(statement, sqlite3_bind_parameter_index(statement, ":uncertainty"), time.uncertainty);
}

/* ---- adding ------------------------------------------------------------------------------------------------------ */

static Status insert_run(Store *store, const Run *run, int64_t *id, Message *why)
{
    sqlite3_stmt *statement;
    Status status = database_prepare(
        store,
        "INSERT INTO runs (time_utc, person, problem, revision, device, epoch, device_name, driver,"
        " toolkit, judge, sandbox, verdict, rank_status, score_ms, uncertainty, machine_code,"
        " source_hash, file_name, sitting, cases) VALUES (:time_utc, :person, :problem, :revision, :device, :epoch,"
        " :device_name, :driver, :toolkit, :judge, :sandbox, :verdict, :rank_status, :score_ms,"
        " :uncertainty, :machine_code, :source_hash, :file_name, :sitting, :cases)",
        &statement, why);
    if (status != STATUS_OK)
        return status;
    bind_board(statement, &run->board);
    bind_time(statement, run->time);
    database_bind_text(statement, ":time_utc", run->time_utc);
    database_bind_text(statement, ":person", run->person);
    database_bind_text(statement, ":device_name", run->device_name);
    database_bind_text(statement, ":driver", run->driver);
    database_bind_text(statement, ":toolkit", run->toolkit);
    database_bind_text(statement, ":judge", run->judge);
    database_bind_text(statement, ":sandbox", run->sandbox);
    database_bind_text(statement, ":verdict", run->verdict);
    database_bind_text(statement, ":rank_status", run->rank_status);
    database_bind_text(statement, ":machine_code", run->machine_code);
    database_bind_text(statement, ":source_hash", run->source_hash);
    database_bind_text(statement, ":file_name", run->file_name);
    database_bind_text(statement, ":sitting", run->sitting);
    database_bind_text(statement, ":cases", run->cases);
    return database_insert(store, statement, id, why);
}

/* Adds the source, unless the same text is there already. */
Status store_put_source(Store *store, const char *source_hash, const char *source, Message *why)
{
    sqlite3_stmt *statement;
    Status status = database_prepare(store,
                                     "INSERT INTO sources (source_hash, source) VALUES (:source_hash, :source)"
                                     " ON CONFLICT (source_hash) DO NOTHING",
                                     &statement, why);
    if (status != STATUS_OK)
        return status;
    database_bind_text(statement, ":source_hash", source_hash);
    database_bind_text(statement, ":source", source);
    return database_insert(store, statement, NULL, why);
}

Status store_put_run(Store *store, const Run *run, int64_t *id, Message *why)
{
    Status status = store_put_source(store, run->source_hash, run->source, why);
    return status == STATUS_OK ? insert_run(store, run, id, why) : status;
}

Status store_add_run(Store *store, const Run *run, int64_t *id, Message *why)
{
    Status status = database_begin(store, why);
    if (status != STATUS_OK)
        return status;
    return database_end(store, store_put_run(store, run, id, why), why);
}

Status store_add_reference(Store *store, const Board *board, const ReferenceTime *reference, Message *why)
{
    sqlite3_stmt *statement;
    Status status = database_prepare(
        store,
        "INSERT INTO reference_times (time_utc, name, problem, revision, device, epoch, score_ms,"
        " uncertainty, source_hash, sitting, cases) VALUES (:time_utc, :name, :problem, :revision, :device,"
        " :epoch, :score_ms, :uncertainty, :source_hash, :sitting, :cases)",
        &statement, why);
    if (status != STATUS_OK)
        return status;
    bind_board(statement, board);
    bind_time(statement, reference->time);
    database_bind_text(statement, ":time_utc", reference->time_utc);
    database_bind_text(statement, ":name", reference->name);
    database_bind_text(statement, ":source_hash", reference->source_hash);
    database_bind_text(statement, ":sitting", reference->sitting == NULL ? "{}" : reference->sitting);
    database_bind_text(statement, ":cases", reference->cases == NULL ? "[]" : reference->cases);
    return database_insert(store, statement, NULL, why);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static void take_stored_run(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(StoredRun *)item = (StoredRun){
        .id = sqlite3_column_int64(row, 0),
        .time_utc = database_text(arena, row, 1),
        .person = database_text(arena, row, 2),
        .machine_code = database_text(arena, row, 3),
        .time = {.ms = sqlite3_column_double(row, 4), .uncertainty = sqlite3_column_double(row, 5)},
    };
}

Status store_runs(Store *store, const Board *board, Arena *arena, StoredRun **runs, size_t *count, Message *why)
{
    sqlite3_stmt *statement;
    Rows rows = {.arena = arena, .item_bytes = sizeof **runs};
    Status status = database_prepare(
        store,
        "SELECT id, time_utc, person, machine_code, score_ms, uncertainty FROM runs JOIN run_states ON run = id"
        " WHERE problem = :problem AND revision = :revision AND device = :device AND epoch = :epoch"
        " AND state = 'ranked' ORDER BY id",
        &statement, why);
    if (status != STATUS_OK)
        return status;
    bind_board(statement, board);
    status = database_select(store, statement, take_stored_run, &rows, why);
    *runs = (StoredRun *)(void *)rows.items;
    *count = rows.count;
    return status;
}

Status store_times_again(Store *store, int64_t run, Arena *arena, StoredRun **runs, size_t *count, Message *why)
{
    Rows rows = {.arena = arena, .item_bytes = sizeof **runs};
    Status status = database_query(
        store, &rows, take_stored_run, why,
        "SELECT a.id, a.time_utc, a.person, a.machine_code, a.score_ms, a.uncertainty FROM runs f JOIN runs a"
        " ON a.id > f.id AND a.source_hash = f.source_hash AND a.person = f.person AND a.problem = f.problem"
        " AND a.revision = f.revision AND a.device = f.device AND a.epoch = f.epoch"
        " WHERE f.id = ?1 AND a.score_ms > 0 ORDER BY a.id",
        "i", run);
    *runs = (StoredRun *)(void *)rows.items;
    *count = rows.count;
    return status;
}

/* In the order of the primary key, so that the first row that ranks is the answer. */
static const char best_case_time[] =
    "SELECT time_ms, run FROM case_times JOIN run_states USING (run)"
    " WHERE problem = :problem AND revision = :revision AND device = :device AND epoch = :epoch AND name = :name"
    " AND state = 'ranked' ORDER BY time_ms, run LIMIT 1";

/* Teachers accept few runs, so these lead to the times. */
static const char best_vetted_case_time[] =
    "SELECT time_ms, t.run FROM rulings CROSS JOIN recorded_case_times t ON t.run = rulings.run"
    " WHERE kind = 'accept' AND rulings.id = (SELECT max(id) FROM rulings r WHERE r.run = t.run)"
    " AND problem = :problem AND revision = :revision AND device = :device AND epoch = :epoch AND name = :name"
    " ORDER BY time_ms, t.run LIMIT 1";

Status store_best_case_time(Store *store, const Board *board, const char *name, bool vetted, double *ms, int64_t *run,
                            Message *why)
{
    sqlite3_stmt *statement;
    *ms = 0;
    Status status = database_prepare(store, vetted ? best_vetted_case_time : best_case_time, &statement, why);
    if (status != STATUS_OK)
        return status;
    bind_board(statement, board);
    database_bind_text(statement, ":name", name);
    const int result = sqlite3_step(statement);
    if (result == SQLITE_ROW) {
        *ms = sqlite3_column_double(statement, 0);
        *run = sqlite3_column_int64(statement, 1);
    } else if (result != SQLITE_DONE) {
        status = database_fail(store, why);
    }
    sqlite3_finalize(statement);
    return status;
}

/* NULL for NULL. */
static const char *known_text(Arena *arena, sqlite3_stmt *row, int column)
{
    return sqlite3_column_type(row, column) == SQLITE_NULL ? NULL : database_text(arena, row, column);
}

/* The columns that take_recorded_run() expects, without the source. */
#define RECORDED_COLUMNS                                                                                               \
    "id, time_utc, person, problem, revision, device, epoch, device_name, driver, toolkit, judge, sandbox, verdict,"   \
    " rank_status, score_ms, uncertainty, machine_code, runs.source_hash, file_name, sitting, cases, state"
enum { RECORDED_COLUMN_COUNT = 22 };

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
                .time = {.ms = sqlite3_column_double(row, 14), .uncertainty = sqlite3_column_double(row, 15)},
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
    sqlite3_stmt *statement;
    Rows rows = {.arena = arena, .item_bytes = sizeof *run};
    Status status = database_prepare(store,
                                     "SELECT " RECORDED_COLUMNS ", (SELECT source FROM sources"
                                     " WHERE sources.source_hash = runs.source_hash)"
                                     " FROM runs JOIN run_states ON run = id WHERE id = :id",
                                     &statement, why);
    if (status != STATUS_OK)
        return status;
    database_bind_integer(statement, ":id", id);
    status = database_select(store, statement, take_recorded_run, &rows, why);
    if (status == STATUS_OK && rows.count == 0)
        return fail(STATUS_NOT_FOUND, why, "%s: there is no run %" PRId64, store->path, id);
    if (status == STATUS_OK)
        *run = *(RecordedRun *)(void *)rows.items;
    return status;
}

Status store_list_runs(Store *store, const char *problem, const char *state, Arena *arena, RecordedRun **runs,
                       size_t *count, Message *why)
{
    sqlite3_stmt *statement;
    Rows rows = {.arena = arena, .item_bytes = sizeof **runs};
    Status status = database_prepare(store,
                                     "SELECT " RECORDED_COLUMNS " FROM runs JOIN run_states ON run = id"
                                     " WHERE (:problem IS NULL OR problem = :problem)"
                                     " AND (:state IS NULL OR state = :state) ORDER BY id",
                                     &statement, why);
    if (status != STATUS_OK)
        return status;
    database_bind_text(statement, ":problem", problem);
    database_bind_text(statement, ":state", state);
    status = database_select(store, statement, take_recorded_run, &rows, why);
    *runs = (RecordedRun *)(void *)rows.items;
    *count = rows.count;
    return status;
}

static void take_board(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(Board *)item = (Board){
        .problem = database_text(arena, row, 0),
        .revision = database_text(arena, row, 1),
        .device = database_text(arena, row, 2),
        .epoch = sqlite3_column_int(row, 3),
    };
}

Status store_boards(Store *store, const char *problem, const char *revision, Arena *arena, Board **boards,
                    size_t *count, Message *why)
{
    sqlite3_stmt *statement;
    Rows rows = {.arena = arena, .item_bytes = sizeof **boards};
    Status status = database_prepare(
        store,
        "SELECT problem, revision, device, max(epoch) FROM runs JOIN run_states ON run = id WHERE problem = :problem"
        " AND revision = :revision AND state = 'ranked' GROUP BY device ORDER BY device",
        &statement, why);
    if (status != STATUS_OK)
        return status;
    database_bind_text(statement, ":problem", problem);
    database_bind_text(statement, ":revision", revision);
    status = database_select(store, statement, take_board, &rows, why);
    *boards = (Board *)(void *)rows.items;
    *count = rows.count;
    return status;
}

static void take_reference(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(ReferenceTime *)item = (ReferenceTime){
        .name = database_text(arena, row, 0),
        .source_hash = database_text(arena, row, 1),
        .time_utc = database_text(arena, row, 2),
        .time = {.ms = sqlite3_column_double(row, 3), .uncertainty = sqlite3_column_double(row, 4)},
        .cases = database_text(arena, row, 5),
    };
}

Status store_references(Store *store, const Board *board, Arena *arena, ReferenceTime **references, size_t *count,
                        Message *why)
{
    sqlite3_stmt *statement;
    Rows rows = {.arena = arena, .item_bytes = sizeof **references};
    Status status = database_prepare(
        store,
        "SELECT name, source_hash, time_utc, score_ms, uncertainty, cases FROM reference_times"
        " WHERE id IN (SELECT max(id) FROM reference_times WHERE problem = :problem"
        " AND revision = :revision AND device = :device AND epoch = :epoch GROUP BY name)"
        " ORDER BY name",
        &statement, why);
    if (status != STATUS_OK)
        return status;
    bind_board(statement, board);
    status = database_select(store, statement, take_reference, &rows, why);
    *references = (ReferenceTime *)(void *)rows.items;
    *count = rows.count;
    return status;
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
    sqlite3_stmt *statement;
    Rows rows = {.arena = arena, .item_bytes = sizeof **references};
    Status status = database_prepare(
        store,
        "SELECT id, problem, revision, device, epoch, name, source_hash, time_utc, score_ms,"
        " uncertainty, sitting, cases FROM reference_times ORDER BY id",
        &statement, why);
    if (status == STATUS_OK)
        status = database_select(store, statement, take_recorded_reference, &rows, why);
    *references = (RecordedReference *)(void *)rows.items;
    *count = rows.count;
    return status;
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
    sqlite3_stmt *statement;
    Rows rows = {.arena = arena, .item_bytes = sizeof **sources};
    Status status = database_prepare(store, "SELECT id, source_hash, source FROM sources ORDER BY id", &statement, why);
    if (status == STATUS_OK)
        status = database_select(store, statement, take_recorded_source, &rows, why);
    *sources = (RecordedSource *)(void *)rows.items;
    *count = rows.count;
    return status;
}

Status store_begin_reading(Store *store, Message *why)
{
    return database_run(store, "BEGIN", why);
}

Status store_end_reading(Store *store, Message *why)
{
    return database_run(store, "COMMIT", why);
}
