#include "leaderboard/upgrade.h"

#include "leaderboard/database.h"
#include "leaderboard/schema.h"

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
static const char from_3_or_4_to_5[] = "DROP TABLE chain; PRAGMA user_version = 5";

Status upgrade_database(Store *store, int version, Message *why)
{
    if (version >= 3)
        return database_run(store, from_3_or_4_to_5, why);
    Status status = version == 1 ? database_run(store, from_1_to_2, why) : STATUS_OK;
    if (status == STATUS_OK)
        status = database_run(store, put_version_2_aside, why);
    if (status == STATUS_OK)
        status = database_run(store, schema_sql, why);
    return status == STATUS_OK ? database_run(store, take_version_2, why) : status;
}
