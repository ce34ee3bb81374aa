#include "leaderboard/store.h"

#include "base/allocated.h"
#include "leaderboard/schema.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { DEFAULT_TIMEOUT_MS = 30000 };

struct Store {
    sqlite3 *database;
    char *path;
    int timeout_ms;
};

static int timeout_ms(void)
{
    const char *text = getenv("CONVJUDGE_DB_TIMEOUT_MS");
    if (text == NULL)
        return DEFAULT_TIMEOUT_MS;
    char *end;
    long value = strtol(text, &end, 10);
    return end != text && *end == '\0' && value >= 0 && value <= 3600000 ? (int)value : DEFAULT_TIMEOUT_MS;
}

/* Explains SQLite's last error to the owner of the file. */
static Status store_fail(const Store *store, Message *why)
{
    const char *path = store->path;
    switch (sqlite3_errcode(store->database)) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return fail(STATUS_BUSY, why, "%s: locked by another process for more than %g s", path,
                    store->timeout_ms / 1e3);
    case SQLITE_READONLY: return fail(STATUS_SYSTEM, why, "%s: read-only, expected a file that can be written", path);
    case SQLITE_CANTOPEN: return fail(STATUS_SYSTEM, why, "%s: cannot be opened", path);
    case SQLITE_NOTADB:
        return fail(STATUS_BAD_INPUT, why, "%s: not a database, expected a leaderboard that ConvJudge made", path);
    case SQLITE_CORRUPT: return fail(STATUS_BAD_INPUT, why, "%s: the database is damaged", path);
    default: return fail(STATUS_SYSTEM, why, "%s: %s", path, sqlite3_errmsg(store->database));
    }
}

static Status run_sql(Store *store, const char *sql, Message *why)
{
    return sqlite3_exec(store->database, sql, NULL, NULL, NULL) == SQLITE_OK ? STATUS_OK : store_fail(store, why);
}

static Status prepare_statement(Store *store, const char *sql, sqlite3_stmt **statement, Message *why)
{
    int result = sqlite3_prepare_v2(store->database, sql, -1, statement, NULL);
    return result == SQLITE_OK ? STATUS_OK : store_fail(store, why);
}

/* Runs a statement whose result is one row with one text, which is copied into `text`. */
static Status ask(Store *store, const char *sql, char *text, size_t size, Message *why)
{
    sqlite3_stmt *statement;
    Status status = prepare_statement(store, sql, &statement, why);
    if (status != STATUS_OK)
        return status;
    if (sqlite3_step(statement) == SQLITE_ROW)
        sqlite3_snprintf((int)size, text, "%s", (const char *)sqlite3_column_text(statement, 0));
    else
        status = store_fail(store, why);
    sqlite3_finalize(statement);
    return status;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* Whether the file is a leaderboard of our version; `*is_empty`: nothing is in it yet. One statement asks for both
 * numbers, since between two statements another process could create the tables. */
static Status check_version(Store *store, bool *is_empty, Message *why)
{
    char answer[32] = "";
    int version = 0, tables = 0;
    Status status = ask(store,
                        "SELECT user_version || ' ' || (SELECT count(*) FROM sqlite_schema) FROM pragma_user_version",
                        answer, sizeof answer, why);
    if (status != STATUS_OK)
        return status;
    sscanf(answer, "%d %d", &version, &tables);
    *is_empty = version == 0 && tables == 0;
    if (!*is_empty && version == 0)
        return fail(STATUS_BAD_INPUT, why, "%s: a database of another program, expected a leaderboard", store->path);
    if (!*is_empty && version != STORE_SCHEMA_VERSION)
        return fail(STATUS_BAD_INPUT, why, "%s: the database has schema version %d, this program knows version %d",
                    store->path, version, STORE_SCHEMA_VERSION);
    return STATUS_OK;
}

/* Finds damage now rather than after minutes of judging. */
static Status check_health(Store *store, Message *why)
{
    char health[300] = "";
    Status status = ask(store, "PRAGMA quick_check(1)", health, sizeof health, why);
    if (status == STATUS_OK && strcmp(health, "ok") != 0)
        return fail(STATUS_BAD_INPUT, why, "%s: the database is damaged: %s", store->path, health);
    return status;
}

/* The switch to write-ahead logging needs exclusive access for a moment, and SQLite does not wait for it. */
static Status use_write_ahead_log(Store *store, Message *why)
{
    char mode[16] = "";
    for (int waited_ms = 0;; waited_ms += 10) {
        Status status = ask(store, "PRAGMA journal_mode = WAL", mode, sizeof mode, why);
        if (status == STATUS_OK && strcmp(mode, "wal") != 0)
            return fail(STATUS_SYSTEM, why, "%s: write-ahead logging does not work here (%s)", store->path, mode);
        if (status != STATUS_BUSY || waited_ms >= store->timeout_ms)
            return status;
        nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
    }
}

/* Takes the write lock, which fails for a locked or read-only file, and creates the tables if there are none. */
static Status create_tables(Store *store, Message *why)
{
    bool is_empty;
    Status status = run_sql(store, "BEGIN IMMEDIATE", why);
    if (status != STATUS_OK)
        return status;
    status = check_version(store, &is_empty, why);
    if (status == STATUS_OK && is_empty)
        status = run_sql(store, schema_sql, why);
    if (status == STATUS_OK)
        return run_sql(store, "COMMIT", why);
    sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

/* Whether a new file cannot be created in its folder, or an existing one cannot be written. SQLite asks the system,
 * which lets root write to everything; but a file without any write permission is not meant to be changed. */
static Status check_can_be_written(const char *path, const struct stat *info, Message *why)
{
    char folder[4096];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s.", slash == NULL ? 0 : (int)(slash - path) + 1, path);
    if (access(folder, F_OK) != 0)
        return fail(STATUS_NOT_FOUND, why, "%s: its folder does not exist", path);
    bool kept = info != NULL && (info->st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) == 0;
    bool refused = access(folder, W_OK) != 0 && (errno == EROFS || errno == EACCES);
    if (kept || refused || (info != NULL && access(path, W_OK) != 0))
        return fail(STATUS_SYSTEM, why, "%s: read-only, expected a file and a folder that can be written", path);
    return STATUS_OK;
}

static Status check_file(const char *path, StoreMode mode, Message *why)
{
    struct stat info;
    bool exists = stat(path, &info) == 0;
    if (!exists && mode == STORE_READ)
        return fail(STATUS_NOT_FOUND, why, "%s: no leaderboard yet", path);
    if (exists && !S_ISREG(info.st_mode))
        return fail(STATUS_BAD_INPUT, why, "%s: not a regular file, expected a database", path);
    return mode == STORE_WRITE ? check_can_be_written(path, exists ? &info : NULL, why) : STATUS_OK;
}

static Status open_database(Store *store, StoreMode mode, Message *why)
{
    /* A reader without permission to write would leave the files of the log behind if it is the last to close. */
    int reading = access(store->path, W_OK) == 0 ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
    int flags = mode == STORE_WRITE ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : reading;
    if (sqlite3_open_v2(store->path, &store->database, flags, NULL) != SQLITE_OK)
        return store_fail(store, why);
    sqlite3_busy_timeout(store->database, store->timeout_ms);
    bool is_empty;
    Status status = check_version(store, &is_empty, why);
    if (status == STATUS_OK)
        status = check_health(store, why);
    if (status == STATUS_OK && mode == STORE_READ && is_empty)
        return fail(STATUS_NOT_FOUND, why, "%s: no leaderboard yet", store->path);
    if (status != STATUS_OK || mode == STORE_READ)
        return status;
    status = use_write_ahead_log(store, why);
    if (status == STATUS_OK)
        status = run_sql(store, "PRAGMA synchronous = FULL", why);
    return status == STATUS_OK ? create_tables(store, why) : status;
}

Status store_open(const char *path, StoreMode mode, Store **store, Message *why)
{
    *store = NULL;
    Status status = check_file(path, mode, why);
    if (status != STATUS_OK)
        return status;
    Store *opened = allocated(calloc(1, sizeof *opened));
    opened->path = allocated(strdup(path));
    opened->timeout_ms = timeout_ms();
    status = open_database(opened, mode, why);
    if (status == STATUS_OK)
        *store = opened;
    else
        store_close(opened);
    return status;
}

void store_close(Store *store)
{
    if (store == NULL)
        return;
    sqlite3_close(store->database);
    free(store->path);
    free(store);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void bind_text(sqlite3_stmt *statement, const char *parameter, const char *text)
{
    sqlite3_bind_text(statement, sqlite3_bind_parameter_index(statement, parameter), text, -1, SQLITE_STATIC);
}

static void bind_board(sqlite3_stmt *statement, const Board *board)
{
    bind_text(statement, ":problem", board->problem);
    bind_text(statement, ":revision", board->revision);
    bind_text(statement, ":device", board->device);
    sqlite3_bind_int(statement, sqlite3_bind_parameter_index(statement, ":epoch"), board->epoch);
}

/* Both columns stay NULL for a run without a time. */
static void bind_time(sqlite3_stmt *statement, MeasuredTime time)
{
    if (!(time.ms > 0))
        return;
    sqlite3_bind_double(statement, sqlite3_bind_parameter_index(statement, ":score_ms"), time.ms);
    sqlite3_bind_double(statement, sqlite3_bind_parameter_index(statement, ":uncertainty"), time.uncertainty);
}

/* Runs one INSERT as a transaction of its own: it is either committed and synced, or not there at all. `BEGIN; INSERT`
 * would fail at once if two writers collide; a single statement takes the write lock first and waits for it. */
static Status insert_row(Store *store, sqlite3_stmt *statement, Message *why)
{
    int result = sqlite3_step(statement);
    Status status = result == SQLITE_DONE ? STATUS_OK : store_fail(store, why);
    sqlite3_finalize(statement);
    return status;
}

Status store_add_run(Store *store, const Run *run, Message *why)
{
    sqlite3_stmt *statement;
    Status status = prepare_statement(
        store,
        "INSERT INTO runs (time_utc, person, problem, revision, device, epoch, device_name, driver,"
        " toolkit, judge, sandbox, verdict, rank_status, score_ms, uncertainty, machine_code,"
        " source_hash, cases) VALUES (:time_utc, :person, :problem, :revision, :device, :epoch,"
        " :device_name, :driver, :toolkit, :judge, :sandbox, :verdict, :rank_status, :score_ms,"
        " :uncertainty, :machine_code, :source_hash, :cases)",
        &statement, why);
    if (status != STATUS_OK)
        return status;
    bind_board(statement, &run->board);
    bind_time(statement, run->time);
    bind_text(statement, ":time_utc", run->time_utc);
    bind_text(statement, ":person", run->person);
    bind_text(statement, ":device_name", run->device_name);
    bind_text(statement, ":driver", run->driver);
    bind_text(statement, ":toolkit", run->toolkit);
    bind_text(statement, ":judge", run->judge);
    bind_text(statement, ":sandbox", run->sandbox);
    bind_text(statement, ":verdict", run->verdict);
    bind_text(statement, ":rank_status", run->rank_status);
    bind_text(statement, ":machine_code", run->machine_code);
    bind_text(statement, ":source_hash", run->source_hash);
    bind_text(statement, ":cases", run->cases);
    return insert_row(store, statement, why);
}

Status store_add_reference(Store *store, const Board *board, const ReferenceTime *reference, Message *why)
{
    sqlite3_stmt *statement;
    Status status = prepare_statement(
        store,
        "INSERT INTO reference_times (time_utc, name, problem, revision, device, epoch, score_ms,"
        " uncertainty, source_hash, cases) VALUES (:time_utc, :name, :problem, :revision, :device,"
        " :epoch, :score_ms, :uncertainty, :source_hash, :cases)",
        &statement, why);
    if (status != STATUS_OK)
        return status;
    bind_board(statement, board);
    bind_time(statement, reference->time);
    bind_text(statement, ":time_utc", reference->time_utc);
    bind_text(statement, ":name", reference->name);
    bind_text(statement, ":source_hash", reference->source_hash);
    bind_text(statement, ":cases", reference->cases == NULL ? "[]" : reference->cases);
    return insert_row(store, statement, why);
}

/* A growing array of rows in an arena. */
typedef struct Rows {
    Arena *arena;
    char *items;
    size_t count, capacity, item_bytes;
} Rows;

static void *rows_next(Rows *rows)
{
    rows->items = arena_grown(rows->arena, rows->items, rows->count, &rows->capacity, rows->item_bytes);
    return rows->items + rows->item_bytes * rows->count++;
}

static const char *column_text(Arena *arena, sqlite3_stmt *statement, int column)
{
    const unsigned char *text = sqlite3_column_text(statement, column);
    return arena_string(arena, text == NULL ? "" : (const char *)text);
}

/* Steps through the result; `take` makes an item from one row. */
static Status select_rows(Store *store, sqlite3_stmt *statement, void (*take)(Arena *, sqlite3_stmt *, void *item),
                          Rows *rows, Message *why)
{
    int result;
    while ((result = sqlite3_step(statement)) == SQLITE_ROW)
        take(rows->arena, statement, rows_next(rows));
    Status status = result == SQLITE_DONE ? STATUS_OK : store_fail(store, why);
    sqlite3_finalize(statement);
    return status;
}

static void take_run(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(StoredRun *)item = (StoredRun){
        .time_utc = column_text(arena, row, 0),
        .person = column_text(arena, row, 1),
        .machine_code = column_text(arena, row, 2),
        .time = {.ms = sqlite3_column_double(row, 3), .uncertainty = sqlite3_column_double(row, 4)},
    };
}

Status store_runs(Store *store, const Board *board, Arena *arena, StoredRun **runs, size_t *count, Message *why)
{
    sqlite3_stmt *statement;
    Rows rows = {.arena = arena, .item_bytes = sizeof **runs};
    Status status = prepare_statement(store,
                                      "SELECT time_utc, person, machine_code, score_ms, uncertainty FROM runs"
                                      " WHERE problem = :problem AND revision = :revision AND device = :device"
                                      " AND epoch = :epoch AND rank_status = 'ranked' ORDER BY id",
                                      &statement, why);
    if (status != STATUS_OK)
        return status;
    bind_board(statement, board);
    status = select_rows(store, statement, take_run, &rows, why);
    *runs = (StoredRun *)(void *)rows.items;
    *count = rows.count;
    return status;
}

static void take_board(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(Board *)item = (Board){
        .problem = column_text(arena, row, 0),
        .revision = column_text(arena, row, 1),
        .device = column_text(arena, row, 2),
        .epoch = sqlite3_column_int(row, 3),
    };
}

Status store_boards(Store *store, const char *problem, const char *revision, Arena *arena, Board **boards,
                    size_t *count, Message *why)
{
    sqlite3_stmt *statement;
    Rows rows = {.arena = arena, .item_bytes = sizeof **boards};
    Status status = prepare_statement(
        store,
        "SELECT problem, revision, device, max(epoch) FROM runs WHERE problem = :problem"
        " AND revision = :revision AND rank_status = 'ranked' GROUP BY device ORDER BY device",
        &statement, why);
    if (status != STATUS_OK)
        return status;
    bind_text(statement, ":problem", problem);
    bind_text(statement, ":revision", revision);
    status = select_rows(store, statement, take_board, &rows, why);
    *boards = (Board *)(void *)rows.items;
    *count = rows.count;
    return status;
}

static void take_reference(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(ReferenceTime *)item = (ReferenceTime){
        .name = column_text(arena, row, 0),
        .source_hash = column_text(arena, row, 1),
        .time_utc = column_text(arena, row, 2),
        .time = {.ms = sqlite3_column_double(row, 3), .uncertainty = sqlite3_column_double(row, 4)},
        .cases = column_text(arena, row, 5),
    };
}

Status store_references(Store *store, const Board *board, Arena *arena, ReferenceTime **references, size_t *count,
                        Message *why)
{
    sqlite3_stmt *statement;
    Rows rows = {.arena = arena, .item_bytes = sizeof **references};
    Status status = prepare_statement(
        store,
        "SELECT name, source_hash, time_utc, score_ms, uncertainty, cases FROM reference_times"
        " WHERE id IN (SELECT max(id) FROM reference_times WHERE problem = :problem"
        " AND revision = :revision AND device = :device AND epoch = :epoch GROUP BY name)"
        " ORDER BY name",
        &statement, why);
    if (status != STATUS_OK)
        return status;
    bind_board(statement, board);
    status = select_rows(store, statement, take_reference, &rows, why);
    *references = (ReferenceTime *)(void *)rows.items;
    *count = rows.count;
    return status;
}
