/* schema.h - the texts of schema.sql and of the tables of the service, which are part of the program.  */
#ifndef LEADERBOARD_SCHEMA_H
#define LEADERBOARD_SCHEMA_H

#include "base/status.h"
#include "leaderboard/database.h"
#include "leaderboard/store.h"

/* ==== schema ====================================================================================================== */

extern const char schema_sql[];
/* The parts of schema_sql that versions 6 and 7 added. */
extern const char case_times_sql[], boards_sql[];
/* The tables that `convjudge serve` adds. A database has all of them, or none. */
extern const char service_sql[];
/* Upgrades version 1 of them to 2, version 2 to 3, and so on; service_sql ends with all of them. */
extern const char service_upgrade_2_sql[], service_upgrade_3_sql[], service_upgrade_4_sql[], service_upgrade_5_sql[],
    service_upgrade_6_sql[], service_upgrade_7_sql[], service_upgrade_8_sql[], service_upgrade_9_sql[];

/* ==== schema check ================================================================================================ */

/* Checks whether the tables, views, indexes and triggers of a database are those of schema.sql. */

/* Adds a finding for each one that is missing, was changed or was put in. */
MUST_USE Status schema_check(Store *store, Findings *findings, Message *why);

#endif
