/* store_open.c - opens the database, and makes or upgrades its tables.  */
#include "base/arena.h"
#include "base/status.h"
#include "base/text.h"
#include "leaderboard/database.h"
#include "leaderboard/schema.h"
#include "leaderboard/store.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ==== upgrade ===================================================================================================== */

/* Makes the database of an older version one of this version. */

/* Version 2 keeps the times of the cases of reference solutions. */
static const char from_1_to_2[] = "ALTER TABLE reference_times ADD COLUMN cases TEXT NOT NULL DEFAULT '[]';";

/* Version 3 keeps sources, sittings, names of files and rulings. */
static const char put_version_2_aside[] = "DROP TRIGGER runs_are_never_changed; DROP TRIGGER runs_are_never_deleted;"
                                          "DROP TRIGGER reference_times_are_never_changed;"
                                          "DROP TRIGGER reference_times_are_never_deleted;"
                                          "DROP INDEX runs_of_a_board; DROP INDEX reference_times_of_a_board;"
                                          "ALTER TABLE runs RENAME TO runs_2;"
                                          "ALTER TABLE reference_times RENAME TO reference_times_2;";
static const char take_version_2[] =
    "INSERT INTO runs SELECT id, time_utc, person, problem, revision, device, epoch, device_name, driver, toolkit,"
    " judge, sandbox, verdict, rank_status, score_ms, uncertainty, machine_code, source_hash, '', '{}', cases"
    " FROM runs_2 ORDER BY id;"
    "INSERT INTO reference_times SELECT id, time_utc, name, problem, revision, device, epoch, score_ms, uncertainty,"
    " source_hash, '{}', cases FROM reference_times_2 ORDER BY id;"
    "DROP TABLE runs_2; DROP TABLE reference_times_2;";

/* Version 5 has no chain of hashes. The rows of `appeals`, which version 4 had, stay for people to read. */
static const char from_3_or_4_to_5[] = "DROP TABLE chain";

/* Version 6 keeps the times of the cases of runs in a table. */
static const char from_5_to_6[] = "INSERT INTO case_times SELECT * FROM recorded_case_times";

/* Version 7 has all that a board needs in an index, version 8 the model's error of runs in a table. */
static const char from_6_or_7_to_8[] =
    "DROP VIEW run_states; DROP VIEW IF EXISTS board_runs; DROP INDEX runs_of_a_board";
static const char is_8[] = "PRAGMA user_version = 8";

static MUST_USE Status run_all(Store *store, const char *const *statements, size_t count, Message *why)
{
    for (size_t i = 0; i < count; i++)
        TRY(database_run(store, statements[i], why));
    return STATUS_OK;
}

/* In the caller's transaction: if something fails, the old database stays as it is. */
static MUST_USE Status upgrade_database(Store *store, int version, Message *why)
{
    const char *const from_1_or_2[] = {from_1_to_2, put_version_2_aside, schema_sql, take_version_2};
    const char *const later[] = {from_3_or_4_to_5, case_times_sql, from_5_to_6, from_6_or_7_to_8, boards_sql, is_8};
    const size_t known = version <= 2   ? (size_t)version - 1
                         : version <= 4 ? 0
                         : version == 5 ? 1
                                        : 3; /* steps behind it */
    if (version <= 2)
        return run_all(store, from_1_or_2 + known, 4 - known, why);
    return run_all(store, later + known, 6 - known, why);
}

/* ==== store open ================================================================================================== */

enum { DEFAULT_TIMEOUT_MS = 30000 };

static int timeout_ms(void)
{
    const char *text = getenv("CONVJUDGE_DB_TIMEOUT_MS");
    if (text == NULL)
        return DEFAULT_TIMEOUT_MS;
    char *end;
    long value = strtol(text, &end, 10);
    return end != text && *end == '\0' && value >= 0 && value <= 3600000 ? (int)value : DEFAULT_TIMEOUT_MS;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* The version of the database; 0: nothing is in it yet. One statement asks for version and tables, since between two
 * statements another process could create the tables. */
static Status read_version(Store *store, int *version, Message *why)
{
    char answer[32] = "";
    int tables = 0;
    TRY(database_ask(store,
                     "SELECT user_version || ' ' || (SELECT count(*) FROM sqlite_schema) FROM pragma_user_version",
                     answer, sizeof answer, why));
    sscanf(answer, "%d %d", version, &tables);
    if (*version == 0 && tables != 0)
        return fail(STATUS_BAD_INPUT, why, "%s: a database of another program, expected a leaderboard", store->path);
    if (*version > STORE_SCHEMA_VERSION)
        return fail(STATUS_BAD_INPUT, why,
                    "%s: written by a newer ConvJudge: schema version %d, this program knows versions up to %d",
                    store->path, *version, STORE_SCHEMA_VERSION);
    return STATUS_OK;
}

/* A check of the whole file takes a second for a gigabyte, which a grading shall not pay. */
enum { CHECKED_BYTES = 16 << 20 };

Status store_check_pages(Store *store, Message *why)
{
    char health[300] = "";
    TRY(database_ask(store, "PRAGMA quick_check(1)", health, sizeof health, why));
    if (strcmp(health, "ok") != 0)
        return fail(STATUS_BAD_INPUT, why, "%s: the database is damaged: %s", store->path, health);
    return STATUS_OK;
}

/* Finds damage now rather than after minutes of judging. */
static Status check_health(Store *store, Message *why)
{
    struct stat info;
    const bool is_large = stat(store->path, &info) == 0 && info.st_size > CHECKED_BYTES;
    return is_large ? STATUS_OK : store_check_pages(store, why);
}

/* The switch to write-ahead logging needs exclusive access for a moment, and SQLite does not wait for it. */
static Status use_write_ahead_log(Store *store, Message *why)
{
    char mode[16] = "";
    for (int waited_ms = 0;; waited_ms += 10) {
        Status status = database_ask(store, "PRAGMA journal_mode = WAL", mode, sizeof mode, why);
        if (status == STATUS_OK && strcmp(mode, "wal") != 0)
            return fail(STATUS_SYSTEM, why, "%s: write-ahead logging does not work here (%s)", store->path, mode);
        if (status != STATUS_BUSY || waited_ms >= store->timeout_ms)
            return status;
        nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
    }
}

/* Takes the write lock, which fails for a locked or read-only file, and creates the tables if there are none. Tables of
 * an older version are upgraded. */
static Status create_tables(Store *store, Message *why)
{
    int version;
    TRY(database_begin(store, why));
    Status status = read_version(store, &version, why);
    if (status == STATUS_OK && version == 0)
        status = database_run(store, schema_sql, why);
    else if (status == STATUS_OK && version != STORE_SCHEMA_VERSION)
        status = upgrade_database(store, version, why);
    return database_end(store, status, why);
}

static void folder_of(const char *path, char folder[4096])
{
    const char *slash = strrchr(path, '/');
    snprintf(folder, 4096, "%.*s.", slash == NULL ? 0 : (int)(slash - path) + 1, path);
}

/* Whether a new file cannot be created in its folder, or an existing one cannot be written. SQLite asks the system,
 * which lets root write to everything; but a file without any write permission is not meant to be changed. */
static Status check_can_be_written(const char *path, const struct stat *info, Message *why)
{
    char folder[4096];
    folder_of(path, folder);
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

/* A reader needs the files of the log, which hold what is not yet in the database, and makes them where they are missing. Where
 * it may not, and there are none, the database alone is whole and can be read as if nobody ever wrote to it. If somebody does
 * while we read, an answer could mix old and new rows; a reader who may write to the folder has not got this trouble. */
static bool is_read_alone(const char *path)
{
    char folder[4096], log[4096];
    folder_of(path, folder);
    snprintf(log, sizeof log, "%s-wal", path);
    return access(folder, W_OK) != 0 && access(log, F_OK) != 0;
}

/* A name as SQLite takes it in a URI. */
static void add_uri(const char *path, const char *parameters, Text *uri)
{
    text_add(uri, "file:");
    for (const char *at = path; *at != '\0'; at++)
        text_printf(uri, strchr("?#%", *at) != NULL ? "%%%02X" : "%c", (unsigned char)*at);
    text_add(uri, parameters);
}

static int open_file(Store *store, StoreMode mode)
{
    Text uri = {0};
    /* A reader without permission to write would leave the files of the log behind if it is the last to close. */
    int reading = access(store->path, W_OK) == 0 ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
    int flags = mode == STORE_WRITE ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : reading;
    flags |= SQLITE_OPEN_NOMUTEX; /* a store is one thread's at a time */
    if (mode == STORE_WRITE || !is_read_alone(store->path))
        return sqlite3_open_v2(store->path, &store->database, flags, NULL);
    add_uri(store->path, "?immutable=1", &uri);
    int result = sqlite3_open_v2(uri.data, &store->database, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
    text_free(&uri);
    return result;
}

static Status open_database(Store *store, StoreMode mode, Message *why)
{
    if (open_file(store, mode) != SQLITE_OK)
        return database_fail(store, why);
    sqlite3_busy_timeout(store->database, store->timeout_ms);
    int version;
    Status status = read_version(store, &version, why);
    THEN(status, check_health(store, why));
    if (status == STATUS_OK && mode == STORE_READ && version == 0)
        return fail(STATUS_NOT_FOUND, why, "%s: no leaderboard yet", store->path);
    if (status != STATUS_OK || (mode == STORE_READ && version == STORE_SCHEMA_VERSION))
        return status;
    TRY(use_write_ahead_log(store, why));
    TRY(database_run(store, "PRAGMA synchronous = FULL", why));
    return create_tables(store, why);
}

Status store_open(const char *path, StoreMode mode, Store **store, Message *why)
{
    *store = NULL;
    TRY(check_file(path, mode, why));
    Store *opened = allocated(calloc(1, sizeof *opened));
    opened->path = allocated(strdup(path));
    opened->timeout_ms = timeout_ms();
    Status status = open_database(opened, mode, why);
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
    database_close(store);
    free(store->path);
    free(store);
}
