/* schema.h - the texts of schema.sql and of service.sql, which are part of the program.  */
#ifndef LEADERBOARD_SCHEMA_H
#define LEADERBOARD_SCHEMA_H

extern const char schema_sql[];
/* The tables that `convjudge serve` adds. A database has all of them, or none. */
extern const char service_sql[];

#endif
