/* service_store.h - opens the one database of a service: the leaderboard's tables (leaderboard/store.h), and those of
 * leaderboard/service.sql beside them.
 *
 * Only one process writes the tables of the service. It holds a lock on the file `serve.lock` in the folder of the state for as
 * long as it lives, so a second one is refused.
 *
 * Times    texts such as "2026-01-31T12:00:00Z". A submission has what the system's clock says; its number is the order.
 * Errors   as store.h says; BAD_INPUT as well where the folder lies on a network file system, whose locks and shared memory
 *          SQLite's log cannot trust.  */
#ifndef SERVICE_STORE_SERVICE_STORE_H
#define SERVICE_STORE_SERVICE_STORE_H

#include "base/status.h"
#include "leaderboard/store.h"

enum { SERVICE_SCHEMA_VERSION = 5, SERVICE_PATH_BYTES = 4096 };

typedef struct UtcTime {
    char text[32];
} UtcTime;

/* Now, by the system's clock. */
UtcTime utc_now(void);
UtcTime utc_of(int64_t seconds_since_1970);
/* Seconds since 1970; 0: the text is no such time. */
int64_t utc_seconds(const char *text);

/* FOLDER/convjudge.db. */
MUST_USE Status service_store_path(const char *folder, char path[SERVICE_PATH_BYTES], Message *why);

/* Makes the folder (mode 0700) and the tables where they are missing. An older database is copied first: to
 * FOLDER/convjudge.db.version-N where the leaderboard's tables are older, to FOLDER/convjudge.db.service-version-N where those
 * of the service are. BUSY: another process has the folder's lock. */
MUST_USE Status service_store_open(const char *folder, Store **store, Message *why);

/* Copies the database to a new file, while others write to it. Refuses a file that exists. */
MUST_USE Status service_store_backup(Store *store, const char *path, Message *why);

/* Writes a row and deletes nothing, so that /healthz can tell whether the store works. */
MUST_USE Status service_store_check(Store *store, Message *why);

/* Notes who did what. Part of the caller's transaction, if there is one. */
MUST_USE Status audit_add(Store *store, const char *person, const char *action, const char *object, Message *why);

/* For conditions on judgings that have not ended: the words of their index, which SQLite takes only where it finds them. */
#define IS_UNFINISHED "judging.state IN ('queued', 'offered', 'running', 'held') AND "

#endif
