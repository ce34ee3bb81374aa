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

enum { SERVICE_SCHEMA_VERSION = 9, SERVICE_PATH_BYTES = 4096 };

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
/* Whether a new, empty store was made in a folder whose store is gone; until the file that `path` names is removed, or a copy restored. */
bool service_store_was_lost(const char *folder, char path[SERVICE_PATH_BYTES]);
/* Does to a store of an earlier version what service_store_open() would; a current one stays as it is. */
MUST_USE Status service_store_upgrade(const char *folder, Message *why);

/* Copies the database to a new file (mode 0600), while others write to it. Refuses a file that exists. */
MUST_USE Status service_store_backup(Store *store, const char *path, Message *why);
/* The same into a folder, as "convjudge-2026-11-29T040000Z.db"; `path` becomes the whole name. Then only the `keep` newest copies with
 * such names stay. A copy that was interrupted has another name, and goes. */
MUST_USE Status service_store_backup_to(Store *store, const char *folder, int64_t keep, char path[SERVICE_PATH_BYTES],
                                        Message *why);

/* Puts a copy in the place of FOLDER/convjudge.db, which stays as `kept` ("": there was none). The next submission and the next run get
 * numbers that nobody has seen: higher than any of both, or far higher where the present store tells none. BUSY: a server uses it. */
MUST_USE Status service_store_restore(const char *folder, const char *copy, char kept[SERVICE_PATH_BYTES],
                                      int64_t *next_number, Message *why);

/* store_put_run() with a number that was never given, whatever copy was restored. */
MUST_USE Status service_store_put_run(Store *store, const Run *run, int64_t *id, Message *why);

/* Writes a row and deletes nothing, so that /healthz can tell whether the store works. */
MUST_USE Status service_store_check(Store *store, Message *why);

/* Notes who did what. Part of the caller's transaction, if there is one. */
MUST_USE Status audit_add(Store *store, const char *person, const char *action, const char *object, Message *why);

/* For conditions on judgings that have not ended: the words of their index, which SQLite takes only where it finds them. */
#define IS_UNFINISHED "judging.state IN ('queued', 'offered', 'running', 'held') AND "

#endif
