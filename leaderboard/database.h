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
#include <stdbool.h>
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

enum { KEPT_STATEMENTS = 256 };

struct Store {
    sqlite3 *database;
    char *path;
    int timeout_ms;
    struct KeptBoard *boards; /* standings.c */
    /* Forgets the boards that are kept in memory, since what was read within a transaction may have been undone; NULL:
     * none are kept. */
    void (*forget)(struct Store *store);
    sqlite3_stmt *statements[KEPT_STATEMENTS];
};

/* Another limit for the wait for a lock than store_open() has set. */
void database_wait_at_most(Store *store, int milliseconds);
/* Whether a transaction could begin now, without a wait. */
bool database_can_write(Store *store);
/* Closes the database, and forgets what is kept of it. */
void database_close(Store *store);

/* Explains SQLite's last error to the owner of the file. */
Status database_fail(const Store *store, Message *why);

MUST_USE Status database_run(Store *store, const char *sql, Message *why);
/* Runs a statement whose result is one row with one text, which is copied into `text`. */
MUST_USE Status database_ask(Store *store, const char *sql, char *text, size_t size, Message *why);

/* Takes the write lock at once, and waits for it. A transaction that reads first could not wait: when two such readers
 * want to write, one of them fails. */
MUST_USE Status database_begin(Store *store, Message *why);
/* Commits if `status` is STATUS_OK, else undoes everything since database_begin(). */
MUST_USE Status database_end(Store *store, Status status, Message *why);

/* The next functions bind values to ?1, ?2 and so on, one for each letter of `types`: t a text (const char *, NULL too), i an
 * integer (int64_t), d a double. Texts must live until the statement has run. */

/* Runs a statement without a result; `*changed` (may be NULL) becomes the number of rows that it added or changed. */
MUST_USE Status database_do(Store *store, int64_t *changed, Message *why, const char *sql, const char *types, ...);

/* "" for NULL. */
const char *database_text(Arena *arena, sqlite3_stmt *statement, int column);

/* The first column of the first row. Without a row, or where it is NULL, `*number` or `*text` stays as it is. */
MUST_USE Status database_int(Store *store, int64_t *number, Message *why, const char *sql, const char *types, ...);
MUST_USE Status database_string(Store *store, Arena *arena, const char **text, Message *why, const char *sql,
                                const char *types, ...);

/* Makes an item from a row. */
typedef void DatabaseTake(Arena *arena, sqlite3_stmt *row, void *item);
/* One of the first column, a text: const char *. */
void database_take_text(Arena *arena, sqlite3_stmt *row, void *item);

/* The first row. NOT_FOUND: there is none. */
MUST_USE Status database_row(Store *store, Arena *arena, DatabaseTake *take, void *item, Message *why, const char *sql,
                             const char *types, ...);
/* All rows: `items` is the address of a pointer to items of `item_bytes` each, which becomes an array in the arena. */
MUST_USE Status database_list(Store *store, Arena *arena, size_t item_bytes, DatabaseTake *take, void *items,
                              size_t *count, Message *why, const char *sql, const char *types, ...);

typedef struct Rows { /* a growing array of rows in an arena */
    Arena *arena;
    char *items;
    size_t count, capacity, item_bytes;
} Rows;

void *database_rows_next(Rows *rows);
/* Adds all rows. */
MUST_USE Status database_query(Store *store, Rows *rows, DatabaseTake *take, Message *why, const char *sql,
                               const char *types, ...);
MUST_USE Status database_vquery(Store *store, Rows *rows, DatabaseTake *take, Message *why, const char *sql,
                                const char *types, va_list values);

#endif
