/* made_store.h - a database in a folder of its own, for the tests of this folder.  */
#ifndef LEADERBOARD_TESTS_MADE_STORE_H
#define LEADERBOARD_TESTS_MADE_STORE_H

#include "base/tests/unit.h"

#include "leaderboard/store.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];
static char path[128];

static inline int new_folder(void **state)
{
    strcpy(folder, "/tmp/convjudge-test-store.XXXXXX");
    setenv("CONVJUDGE_DB_TIMEOUT_MS", "30000", 1);
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(path, sizeof path, "%s/leaderboard.db", folder);
    return 0;
}

static inline int remove_folder(void **state)
{
    static const char *const names[] = {"leaderboard.db", "leaderboard.db-wal", "leaderboard.db-shm", "sim.json"};
    char file[256];
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        snprintf(file, sizeof file, "%s/%s", folder, names[i]);
        unlink(file);
    }
    return rmdir(folder);
}

/* Begins what makes an older database of a new one. */
#define OF_VERSION_6                                                                                                   \
    "DROP VIEW run_states; DROP VIEW board_runs; DROP INDEX runs_of_a_board; DROP TABLE run_models;"                   \
    "CREATE INDEX runs_of_a_board ON runs (problem, revision, device, epoch);"                                         \
    "CREATE VIEW run_states AS SELECT id AS run, 'ranked' AS state FROM runs;"

static const Board board = {.problem = "conv1d", .revision = "r1", .device = "sim-test", .epoch = 1};

static inline Run a_run(const char *person, double ms)
{
    return (Run){
        .board = board,
        .time_utc = "2026-01-31T12:00:00Z",
        .person = person,
        .device_name = "Test",
        .driver = "none",
        .toolkit = "13.0",
        .judge = "1",
        .sandbox = "full",
        .verdict = ms > 0 ? "Accepted" : "Wrong Answer",
        .rank_status = ms > 0 ? "ranked" : "not ranked: not accepted",
        .time = {ms, 0.005},
        .machine_code = "c0de",
        .source_hash = "50ce",
        .source = "// nothing",
        .file_name = "x.cu",
        .sitting = "{}",
        .cases = "[]",
    };
}

static inline Store *opened(StoreMode mode)
{
    Store *store;
    Message why = {0};
    if (store_open(path, mode, &store, &why) != STATUS_OK)
        fail_test("%s", why.text);
    return store;
}

static inline void must(Status status, const Message *why)
{
    if (status != STATUS_OK)
        fail_test("%s", why->text);
}

static inline int sql(const char *statements)
{
    sqlite3 *database;
    sqlite3_open(path, &database);
    int result = sqlite3_exec(database, statements, NULL, NULL, NULL);
    sqlite3_close(database);
    return result;
}

/* The first number of the first row. */
static inline int number(const char *query)
{
    sqlite3 *database;
    sqlite3_stmt *statement;
    sqlite3_open(path, &database);
    assert_int_equal(sqlite3_prepare_v2(database, query, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int value = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return value;
}

/* Adds a run and returns its number. */
static inline int64_t added(Store *store, Run run)
{
    Message why = {0};
    int64_t id;
    must(store_add_run(store, &run, &id, &why), &why);
    return id;
}

#define test(function) cmocka_unit_test_setup_teardown(function, new_folder, remove_folder)

#endif
