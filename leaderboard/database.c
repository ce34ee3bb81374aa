#include "leaderboard/database.h"

#include "base/hash.h"

#include <stdbool.h>
#include <string.h>

/* ==== findings ==================================================================================================== */

void findings_add(Findings *findings, const char *place, const char *what, const char *expected, const char *found)
{
    findings->items = arena_grown(findings->arena, findings->items, findings->count, &findings->capacity,
                                  sizeof *findings->items);
    findings->items[findings->count++] = (Finding){
        .place = arena_string(findings->arena, place),
        .what = arena_string(findings->arena, what),
        .expected = arena_string(findings->arena, expected),
        .found = arena_string(findings->arena, found),
    };
}

/* ==== database ==================================================================================================== */

Status database_fail(const Store *store, Message *why)
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

Status database_run(Store *store, const char *sql, Message *why)
{
    return sqlite3_exec(store->database, sql, NULL, NULL, NULL) == SQLITE_OK ? STATUS_OK : database_fail(store, why);
}

/* Where a statement is kept for its next use: SQLite takes longer to understand most than to run them. */
static sqlite3_stmt **place_of(Store *store, const char *sql)
{
    return &store->statements[fnv_mixed(FNV_BASIS, sql, strlen(sql)) % KEPT_STATEMENTS];
}

static Status prepare(Store *store, const char *sql, sqlite3_stmt **statement, Message *why)
{
    sqlite3_stmt **kept = place_of(store, sql);
    if (*kept != NULL && strcmp(sqlite3_sql(*kept), sql) == 0) {
        *statement = *kept;
        *kept = NULL;
        return STATUS_OK;
    }
    int result = sqlite3_prepare_v2(store->database, sql, -1, statement, NULL);
    return result == SQLITE_OK ? STATUS_OK : database_fail(store, why);
}

static void keep(Store *store, sqlite3_stmt *statement)
{
    if (statement == NULL)
        return;
    sqlite3_stmt **kept = place_of(store, sqlite3_sql(statement));
    sqlite3_finalize(*kept);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    *kept = statement;
}

void database_wait_at_most(Store *store, int milliseconds)
{
    store->timeout_ms = milliseconds;
    sqlite3_busy_timeout(store->database, milliseconds);
}

bool database_can_write(Store *store)
{
    sqlite3_busy_timeout(store->database, 0);
    const int result = sqlite3_exec(store->database, "BEGIN IMMEDIATE; ROLLBACK", NULL, NULL, NULL);
    sqlite3_busy_timeout(store->database, store->timeout_ms);
    return result != SQLITE_BUSY;
}

static void forget(Store *store)
{
    if (store->forget != NULL)
        store->forget(store);
}

void database_close(Store *store)
{
    forget(store);
    for (int i = 0; i < KEPT_STATEMENTS; i++)
        sqlite3_finalize(store->statements[i]);
    sqlite3_close(store->database);
}

Status database_ask(Store *store, const char *sql, char *text, size_t size, Message *why)
{
    sqlite3_stmt *statement;
    Status status = prepare(store, sql, &statement, why);
    TRY(status);
    if (sqlite3_step(statement) == SQLITE_ROW)
        sqlite3_snprintf((int)size, text, "%s", (const char *)sqlite3_column_text(statement, 0));
    else
        status = database_fail(store, why);
    keep(store, statement);
    return status;
}

Status database_begin(Store *store, Message *why)
{
    return database_run(store, "BEGIN IMMEDIATE", why);
}

Status database_end(Store *store, Status status, Message *why)
{
    THEN(status, database_run(store, "COMMIT", why));
    if (status != STATUS_OK) {
        sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
        forget(store);
    }
    return status;
}

static void bind(sqlite3_stmt *statement, const char *types, va_list values)
{
    for (int i = 0; types[i] != '\0'; i++) {
        switch (types[i]) {
        case 't': sqlite3_bind_text(statement, i + 1, va_arg(values, const char *), -1, SQLITE_STATIC); break;
        case 'i': sqlite3_bind_int64(statement, i + 1, va_arg(values, int64_t)); break;
        default: sqlite3_bind_double(statement, i + 1, va_arg(values, double));
        }
    }
}

Status database_do(Store *store, int64_t *changed, Message *why, const char *sql, const char *types, ...)
{
    sqlite3_stmt *statement;
    Status status = prepare(store, sql, &statement, why);
    TRY(status);
    va_list values;
    va_start(values, types);
    bind(statement, types, values);
    if (sqlite3_step(statement) != SQLITE_DONE)
        status = database_fail(store, why);
    if (changed != NULL)
        *changed = sqlite3_changes(store->database);
    keep(store, statement);
    va_end(values);
    return status;
}

/* The statement at its first row; `*statement` is NULL where there is none. */
static Status find_row(Store *store, sqlite3_stmt **statement, const char *sql, const char *types, va_list values,
                       Message *why)
{
    TRY(prepare(store, sql, statement, why));
    bind(*statement, types, values);
    const int result = sqlite3_step(*statement);
    if (result == SQLITE_ROW)
        return STATUS_OK;
    Status status = result == SQLITE_DONE ? STATUS_OK : database_fail(store, why);
    keep(store, *statement);
    *statement = NULL;
    return status;
}

static bool has_value(sqlite3_stmt *statement)
{
    return statement != NULL && sqlite3_column_type(statement, 0) != SQLITE_NULL;
}

Status database_int(Store *store, int64_t *number, Message *why, const char *sql, const char *types, ...)
{
    sqlite3_stmt *statement = NULL;
    va_list values;
    va_start(values, types);
    Status status = find_row(store, &statement, sql, types, values, why);
    va_end(values);
    if (has_value(statement))
        *number = sqlite3_column_int64(statement, 0);
    keep(store, statement);
    return status;
}

Status database_string(Store *store, Arena *arena, const char **text, Message *why, const char *sql, const char *types,
                       ...)
{
    sqlite3_stmt *statement = NULL;
    va_list values;
    va_start(values, types);
    Status status = find_row(store, &statement, sql, types, values, why);
    va_end(values);
    if (has_value(statement))
        *text = database_text(arena, statement, 0);
    keep(store, statement);
    return status;
}

Status database_row(Store *store, Arena *arena, DatabaseTake *take, void *item, Message *why, const char *sql,
                    const char *types, ...)
{
    sqlite3_stmt *statement = NULL;
    va_list values;
    va_start(values, types);
    Status status = find_row(store, &statement, sql, types, values, why);
    va_end(values);
    if (statement != NULL)
        take(arena, statement, item);
    else if (status == STATUS_OK)
        status = fail(STATUS_NOT_FOUND, why, "%s: there is no such row", store->path);
    keep(store, statement);
    return status;
}

void database_take_text(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(const char **)item = database_text(arena, row, 0);
}

Status database_vquery(Store *store, Rows *rows, DatabaseTake *take, Message *why, const char *sql, const char *types,
                       va_list values)
{
    sqlite3_stmt *statement;
    int result;
    TRY(prepare(store, sql, &statement, why));
    bind(statement, types, values);
    while ((result = sqlite3_step(statement)) == SQLITE_ROW)
        take(rows->arena, statement, database_rows_next(rows));
    Status status = result == SQLITE_DONE ? STATUS_OK : database_fail(store, why);
    keep(store, statement);
    return status;
}

Status database_query(Store *store, Rows *rows, DatabaseTake *take, Message *why, const char *sql, const char *types,
                      ...)
{
    va_list values;
    va_start(values, types);
    Status status = database_vquery(store, rows, take, why, sql, types, values);
    va_end(values);
    return status;
}

Status database_list(Store *store, Arena *arena, size_t item_bytes, DatabaseTake *take, void *items, size_t *count,
                     Message *why, const char *sql, const char *types, ...)
{
    Rows rows = {.arena = arena, .item_bytes = item_bytes};
    va_list values;
    va_start(values, types);
    Status status = database_vquery(store, &rows, take, why, sql, types, values);
    va_end(values);
    memcpy(items, &rows.items, sizeof rows.items); /* a pointer of any type */
    *count = rows.count;
    return status;
}

void *database_rows_next(Rows *rows)
{
    rows->items = arena_grown(rows->arena, rows->items, rows->count, &rows->capacity, rows->item_bytes);
    return rows->items + rows->item_bytes * rows->count++;
}

const char *database_text(Arena *arena, sqlite3_stmt *statement, int column)
{
    const unsigned char *text = sqlite3_column_text(statement, column);
    return arena_string(arena, text == NULL ? "" : (const char *)text);
}
