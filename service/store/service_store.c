#include "service/store/service_store.h"

#include "base/paths.h"
#include "leaderboard/database.h"
#include "leaderboard/schema.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- time -------------------------------------------------------------------------------------------------------- */

UtcTime utc_of(int64_t seconds_since_1970)
{
    UtcTime time;
    struct tm parts;
    const time_t seconds = (time_t)seconds_since_1970;
    gmtime_r(&seconds, &parts);
    strftime(time.text, sizeof time.text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return time;
}

int64_t utc_seconds(const char *text)
{
    struct tm parts = {0};
    return strptime(text, "%Y-%m-%dT%H:%M:%SZ", &parts) == NULL ? 0 : (int64_t)timegm(&parts);
}

UtcTime utc_now(void)
{
    return utc_of((int64_t)time(NULL));
}

/* ---- the folder -------------------------------------------------------------------------------------------------- */

static Status refuse_network(const char *folder, Message *why)
{
    const char *network;
    Status status = file_system_network(folder, &network, why);
    if (status != STATUS_OK || network == NULL)
        return status;
    return fail(STATUS_BAD_INPUT, why,
                "%s: lies on a network file system (%s), expected a local disk: the "
                "database's log needs shared memory",
                folder, network);
}

static Status path_in(const char *folder, const char *name, char path[SERVICE_PATH_BYTES], Message *why)
{
    int length = snprintf(path, SERVICE_PATH_BYTES, "%s/%s", folder, name);
    return length < SERVICE_PATH_BYTES
               ? STATUS_OK
               : fail(STATUS_BAD_INPUT, why, "%.100s...: the name of the state's folder is too long", folder);
}

Status service_store_path(const char *folder, char path[SERVICE_PATH_BYTES], Message *why)
{
    return path_in(folder, "convjudge.db", path, why);
}

/* The lock ends with the process, however it ends. But workers of a server that was killed hold it until they notice, some
 * tenths of a second later, so opening waits for them. */
static const struct timespec LOCK_PAUSE = {.tv_nsec = 50000000};
enum { LOCK_TRIES = 40 };

static Status lock_folder(const char *folder, Message *why)
{
    char path[SERVICE_PATH_BYTES];
    Status status = path_in(folder, "serve.lock", path, why);
    if (status != STATUS_OK)
        return status;
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0)
        return fail_errno(why, "%s", path);
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (flock(file, LOCK_EX | LOCK_NB) == 0)
            return STATUS_OK;
        nanosleep(&LOCK_PAUSE, NULL);
    }
    close(file);
    return fail(STATUS_BUSY, why, "%s: another process, `convjudge serve` or `convjudge grade-class`, uses this state",
                folder);
}

static Status prepare_folder(const char *folder, Message *why)
{
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        return fail_errno(why, "%s", folder);
    Status status = refuse_network(folder, why);
    return status == STATUS_OK ? lock_folder(folder, why) : status;
}

/* ---- the tables -------------------------------------------------------------------------------------------------- */

static Status read_version(Store *store, int *version, Message *why)
{
    int64_t tables = 0, found = 0;
    Status status = database_int(store, &tables, why,
                                 "SELECT count(*) FROM sqlite_schema WHERE name = 'service_version'", "");
    if (status == STATUS_OK && tables > 0)
        status = database_int(store, &found, why, "SELECT max(version) FROM service_version", "");
    *version = (int)found;
    if (status == STATUS_OK && *version > SERVICE_SCHEMA_VERSION)
        return fail(STATUS_BAD_INPUT, why,
                    "%s: written by a newer ConvJudge: version %d of the service, this program knows versions up to %d",
                    store->path, *version, SERVICE_SCHEMA_VERSION);
    return status;
}

static Status make_tables(Store *store, Message *why)
{
    int version;
    Status status = database_begin(store, why);
    if (status != STATUS_OK)
        return status;
    status = read_version(store, &version, why);
    if (status == STATUS_OK && version == 0)
        status = database_run(store, service_sql, why);
    if (status == STATUS_OK && version == 1)
        status = database_run(store, service_upgrade_2_sql, why);
    if (status == STATUS_OK && (version == 1 || version == 2))
        status = database_run(store, service_upgrade_3_sql, why);
    if (status == STATUS_OK && version >= 1 && version <= 3)
        status = database_run(store, service_upgrade_4_sql, why);
    if (status == STATUS_OK && version >= 1 && version <= 4)
        status = database_run(store, service_upgrade_5_sql, why);
    return database_end(store, status, why);
}

/* A copy "PATH.version-1", unless a start that crashed has made it. */
static Status copy_version(Store *store, const char *kind, int version, Message *why)
{
    char copy[SERVICE_PATH_BYTES + 40];
    struct stat info;
    snprintf(copy, sizeof copy, "%s.%s-%d", store->path, kind, version);
    return stat(copy, &info) == 0 ? STATUS_OK : service_store_backup(store, copy, why);
}

/* Copies a database that this program is going to upgrade: the leaderboard's tables, or those of the service. */
static Status copy_older(const char *path, Message *why)
{
    int64_t version = 0;
    int service_version = 0;
    struct stat info;
    if (stat(path, &info) != 0)
        return STATUS_OK;
    sqlite3 *database;
    if (sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK) {
        sqlite3_close(database);
        return STATUS_OK; /* store_open() says what is wrong */
    }
    struct Store older = {.database = database, .path = (char *)path, .timeout_ms = 1000};
    Status status = database_int(&older, &version, why, "PRAGMA user_version", "");
    if (status == STATUS_OK && version > 0 && version < STORE_SCHEMA_VERSION)
        status = copy_version(&older, "version", (int)version, why);
    if (status == STATUS_OK)
        status = read_version(&older, &service_version, why);
    if (status == STATUS_OK && service_version > 0 && service_version < SERVICE_SCHEMA_VERSION)
        status = copy_version(&older, "service-version", service_version, why);
    database_close(&older);
    return status;
}

Status service_store_open(const char *folder, Store **store, Message *why)
{
    char path[SERVICE_PATH_BYTES];
    *store = NULL;
    Status status = service_store_path(folder, path, why);
    if (status == STATUS_OK)
        status = prepare_folder(folder, why);
    if (status == STATUS_OK)
        status = copy_older(path, why);
    if (status == STATUS_OK)
        status = store_open(path, STORE_WRITE, store, why);
    if (status == STATUS_OK)
        status = make_tables(*store, why);
    if (status != STATUS_OK) {
        store_close(*store);
        *store = NULL;
    }
    return status;
}

/* VACUUM INTO copies one moment of the database, in a transaction of its own. */
Status service_store_backup(Store *store, const char *path, Message *why)
{
    struct stat info;
    if (lstat(path, &info) == 0)
        return fail(STATUS_BAD_INPUT, why, "%s: exists already, expected the name of a new file", path);
    return database_do(store, NULL, why, "VACUUM INTO ?1", "t", path);
}

Status service_store_check(Store *store, Message *why)
{
    Status status = database_begin(store, why);
    if (status == STATUS_OK) {
        status = database_do(store, NULL, why, "UPDATE service_version SET version = version", "");
        status = database_end(store, status, why);
    }
    return status;
}

Status audit_add(Store *store, const char *person, const char *action, const char *object, Message *why)
{
    return database_do(store, NULL, why, "INSERT INTO audit (time_utc, person, action, object) VALUES (?1, ?2, ?3, ?4)",
                       "tttt", utc_now().text, person, action, object);
}
