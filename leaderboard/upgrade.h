/* upgrade.h - makes the database of an older version one of this version.  */
#ifndef LEADERBOARD_UPGRADE_H
#define LEADERBOARD_UPGRADE_H

#include "base/status.h"
#include "leaderboard/store.h"

/* In the caller's transaction: if something fails, the old database stays as it is. */
MUST_USE Status upgrade_database(Store *store, int version, Message *why);

#endif
