/* administered_store.h - the database of a service, for the commands with which administrators work on it.
 *
 * The server may run meanwhile. Its settings, or --state, say where the database is.  */
#ifndef SERVICE_COMMANDS_ADMINISTERED_STORE_H
#define SERVICE_COMMANDS_ADMINISTERED_STORE_H

#include "base/status.h"
#include "grader/commands/options.h"
#include "leaderboard/store.h"

/* NOT_FOUND: there is no such database; none is made. */
MUST_USE Status administered_store_open(const Options *options, Store **store, Message *why);

#endif
