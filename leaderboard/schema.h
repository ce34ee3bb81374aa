/* schema.h - the text of schema.sql, which is part of the binary.  */
#ifndef LEADERBOARD_SCHEMA_H
#define LEADERBOARD_SCHEMA_H

extern const char schema_sql[];

#endif
