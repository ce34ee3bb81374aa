/* schema_check.h - whether the tables, views, indexes and triggers of a database are those of schema.sql.  */
#ifndef LEADERBOARD_SCHEMA_CHECK_H
#define LEADERBOARD_SCHEMA_CHECK_H

#include "base/status.h"
#include "leaderboard/database.h"
#include "leaderboard/store.h"

/* Adds a finding for each one that is missing, was changed or was put in. */
MUST_USE Status schema_check(Store *store, Findings *findings, Message *why);

#endif
