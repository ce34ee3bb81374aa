/* database.h - SQLite as the files of this folder use it: statements, rows in an arena, transactions.
 *
 * Errors   as store.h says.  */
#ifndef LEADERBOARD_DATABASE_H
#define LEADERBOARD_DATABASE_H

#include "base/arena.h"
#include "base/status.h"
#include "leaderboard/store.h"

#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>

/* ==== findings ==================================================================================================== */

/* The faults of a leaderboard, as a list of rows with the expected and the found value. */

typedef struct Finding {
    const char *place; /* "runs 3", "link 7", "trigger runs_are_never_changed" */
    const char *what;  /* "score_ms" */
    const char *expected, *found;
} Finding;

typedef struct Findings {
    Arena *arena; /* of the list and its texts */
    Finding *items;
    size_t count, capacity;
} Findings;

/* Copies all texts. */
void findings_add(Findings *findings, const char *place, const char *what, const char *expected, const char *found);

/* ==== database ==================================================================================================== */

struct Store {
    sqlite3 *database;
    char *path;
    int timeout_ms;
};

/* Explains SQLite's last error to the owner of the file. */
Status database_fail(const Store *store, Message *why);

MUST_USE Status database_run(Store *store, const char *sql, Message *why);
MUST_USE Status database_prepare(Store *store, const char *sql, sqlite3_stmt **statement, Message *why);

/* Runs a statement whose result is one row with one text, which is copied into `text`. */
MUST_USE Status database_ask(Store *store, const char *sql, char *text, size_t size, Message *why);

/* Takes the write lock at once, and waits for it. A transaction that reads first could not wait: when two such readers
 * want to write, one of them fails. */
MUST_USE Status database_begin(Store *store, Message *why);
/* Commits if `status` is STATUS_OK, else undoes everything since database_begin(). */
MUST_USE Status database_end(Store *store, Status status, Message *why);

void database_bind_text(sqlite3_stmt *statement, const char *parameter, const char *text);
void database_bind_integer(sqlite3_stmt *statement, const char *parameter, int64_t value);

/* Binds values to ?1, ?2 and so on, one for each letter of `types`: t a text (const char *, NULL too), i an integer (int64_t),
 * d a double. Texts must live until the statement has run. */
void database_bind(sqlite3_stmt *statement, const char *types, va_list values);

/* Runs a statement without a result; `*changed` (may be NULL) becomes the number of rows that it added or changed. */
MUST_USE Status database_do(Store *store, int64_t *changed, Message *why, const char *sql, const char *types, ...);

/* Runs an INSERT and frees it; `*id` (may be NULL) becomes the row's. */
MUST_USE Status database_insert(Store *store, sqlite3_stmt *statement, int64_t *id, Message *why);

typedef struct Rows { /* a growing array of rows in an arena */
    Arena *arena;
    char *items;
    size_t count, capacity, item_bytes;
} Rows;

void *database_rows_next(Rows *rows);

/* "" for NULL. */
const char *database_text(Arena *arena, sqlite3_stmt *statement, int column);

/* The first column of the first row. Without a row, or where it is NULL, `*number` or `*text` stays as it is. */
MUST_USE Status database_int(Store *store, int64_t *number, Message *why, const char *sql, const char *types, ...);
MUST_USE Status database_string(Store *store, Arena *arena, const char **text, Message *why, const char *sql,
                                const char *types, ...);

/* Makes an item of the first column, a text, for database_query(). */
void database_take_text(Arena *arena, sqlite3_stmt *row, void *item);
/* Steps through the result and frees the statement; `take` makes an item from one row. */
MUST_USE Status database_select(Store *store, sqlite3_stmt *statement,
                                void (*take)(Arena *, sqlite3_stmt *, void *item), Rows *rows, Message *why);
/* Runs a statement and takes its rows as database_select() does. */
MUST_USE Status database_query(Store *store, Rows *rows, void (*take)(Arena *, sqlite3_stmt *, void *item),
                               Message *why, const char *sql, const char *types, ...);

#endif
