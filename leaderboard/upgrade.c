#include "leaderboard/upgrade.h"

#include "leaderboard/chain.h"
#include "leaderboard/database.h"
#include "leaderboard/schema.h"

#include <stdio.h>

/* Version 2 keeps the times of the cases of reference solutions. */
static const char from_1_to_2[] = "ALTER TABLE reference_times ADD COLUMN cases TEXT NOT NULL DEFAULT '[]';";

/* Version 3 keeps sources, sittings, names of files and rulings, and has a chain. */
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

static void take_id(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(int64_t *)item = sqlite3_column_int64(row, 0);
}

/* Rows that are older than the chain get their links now, in the order of their ids. */
static Status link_rows(Store *store, const char *table, Message *why)
{
    char sql[100];
    Arena arena = {0};
    Rows rows = {.arena = &arena, .item_bytes = sizeof(int64_t)};
    sqlite3_stmt *statement;
    snprintf(sql, sizeof sql, "SELECT id FROM %s ORDER BY id", table);
    Status status = database_prepare(store, sql, &statement, why);
    if (status == STATUS_OK)
        status = database_select(store, statement, take_id, &rows, why);
    for (size_t i = 0; status == STATUS_OK && i < rows.count; i++)
        status = chain_append(store, table, ((const int64_t *)(const void *)rows.items)[i], NULL, why);
    arena_free(&arena);
    return status;
}

/* Version 4 has appeals. */
static Status upgrade_from_3(Store *store, Message *why)
{
    Status status = database_run(store, appeals_sql, why);
    return status == STATUS_OK ? database_run(store, "PRAGMA user_version = 4", why) : status;
}

Status upgrade_database(Store *store, int version, Message *why)
{
    if (version == 3)
        return upgrade_from_3(store, why);
    Status status = version == 1 ? database_run(store, from_1_to_2, why) : STATUS_OK;
    if (status == STATUS_OK)
        status = database_run(store, put_version_2_aside, why);
    if (status == STATUS_OK)
        status = database_run(store, schema_sql, why);
    if (status == STATUS_OK)
        status = database_run(store, take_version_2, why);
    for (const char *const *table = chain_tables; status == STATUS_OK && *table != NULL; table++)
        status = link_rows(store, *table, why);
    return status;
}
