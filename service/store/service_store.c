#include "service/store/service_store.h"

#include "base/paths.h"
#include "leaderboard/database.h"
#include "leaderboard/schema.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
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
static const char LOCK_NAME[] = "serve.lock";
static const struct timespec LOCK_PAUSE = {.tv_nsec = 50000000};
enum { LOCK_TRIES = 40 };

static Status lock_folder(const char *folder, Message *why)
{
    char path[SERVICE_PATH_BYTES];
    TRY(path_in(folder, LOCK_NAME, path, why));
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
    TRY(refuse_network(folder, why));
    return lock_folder(folder, why);
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

/* Upgrades come one after the other: the n-th is from version n. */
static Status make_tables(Store *store, Message *why)
{
    static const char *const upgrades[] = {service_sql,           service_upgrade_2_sql, service_upgrade_3_sql,
                                           service_upgrade_4_sql, service_upgrade_5_sql, service_upgrade_6_sql,
                                           service_upgrade_7_sql, service_upgrade_8_sql, service_upgrade_9_sql};
    int version;
    TRY(database_begin(store, why));
    Status status = read_version(store, &version, why);
    if (status == STATUS_OK && version == 0)
        status = database_run(store, service_sql, why);
    for (int from = version; from > 0 && from < SERVICE_SCHEMA_VERSION && status == STATUS_OK; from++)
        status = database_run(store, upgrades[from], why);
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
    THEN(status, read_version(&older, &service_version, why));
    if (status == STATUS_OK && service_version > 0 && service_version < SERVICE_SCHEMA_VERSION)
        status = copy_version(&older, "service-version", service_version, why);
    database_close(&older);
    return status;
}

static Status lost_path(const char *folder, char path[SERVICE_PATH_BYTES], Message *why)
{
    return path_in(folder, "store-was-lost", path, why);
}

bool service_store_was_lost(const char *folder, char path[SERVICE_PATH_BYTES])
{
    return lost_path(folder, path, NULL) == STATUS_OK && access(path, F_OK) == 0;
}

/* Somebody has used this folder, and the store is not there: a disk is missing, or a file was removed. */
static Status note_lost(const char *folder, const char *store, Message *why)
{
    char path[SERVICE_PATH_BYTES];
    if (access(store, F_OK) == 0)
        return STATUS_OK;
    TRY(path_in(folder, LOCK_NAME, path, why));
    if (access(path, F_OK) != 0)
        return STATUS_OK;
    TRY(lost_path(folder, path, why));
    const int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0)
        return fail_errno(why, "%s", path);
    close(file);
    return STATUS_OK;
}

Status service_store_open(const char *folder, Store **store, Message *why)
{
    char path[SERVICE_PATH_BYTES];
    *store = NULL;
    Status status = service_store_path(folder, path, why);
    THEN(status, note_lost(folder, path, why));
    THEN(status, prepare_folder(folder, why));
    THEN(status, copy_older(path, why));
    THEN(status, store_open(path, STORE_WRITE, store, why));
    THEN(status, make_tables(*store, why));
    if (status != STATUS_OK) {
        store_close(*store);
        *store = NULL;
    }
    return status;
}

Status service_store_upgrade(const char *folder, Message *why)
{
    char path[SERVICE_PATH_BYTES];
    Store *store = NULL;
    int version = 0;
    Status status = service_store_path(folder, path, why);
    THEN(status, store_open(path, STORE_READ, &store, why));
    THEN(status, read_version(store, &version, why));
    store_close(store);
    if (status != STATUS_OK || version == 0 || version == SERVICE_SCHEMA_VERSION)
        return status;
    status = service_store_open(folder, &store, why);
    store_close(store);
    return status;
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

/* VACUUM INTO copies one moment of the database, in a transaction of its own. */
Status service_store_backup(Store *store, const char *path, Message *why)
{
    struct stat info;
    if (lstat(path, &info) == 0)
        return fail(STATUS_BAD_INPUT, why, "%s: exists already, expected the name of a new file", path);
    const mode_t before = umask(077);
    Status status = database_do(store, NULL, why, "VACUUM INTO ?1", "t", path);
    umask(before);
    return status;
}

static const char COPY_BEGINS[] = "convjudge-", COPY_ENDS[] = ".db", PART_ENDS[] = ".part";

static bool is_called(const char *name, const char *ending)
{
    const size_t length = strlen(name), ends = strlen(ending);
    return strncmp(name, COPY_BEGINS, strlen(COPY_BEGINS)) == 0 && length > ends &&
           strcmp(name + length - ends, ending) == 0;
}

static int is_copy(const struct dirent *entry)
{
    return is_called(entry->d_name, COPY_ENDS);
}

static int is_part(const struct dirent *entry)
{
    return is_called(entry->d_name, PART_ENDS);
}

/* Removes all of these files but the `keep` last by name, whose times are written so that they sort. */
static Status remove_oldest(const char *folder, int (*wanted)(const struct dirent *entry), int64_t keep, Message *why)
{
    struct dirent **entries;
    char path[SERVICE_PATH_BYTES];
    const int count = scandir(folder, &entries, wanted, alphasort);
    Status status = count < 0 ? fail_errno(why, "%s", folder) : STATUS_OK;
    for (int i = 0; i < count; i++) {
        if (status == STATUS_OK && i < count - keep) {
            status = path_in(folder, entries[i]->d_name, path, why);
            if (status == STATUS_OK && unlink(path) != 0 && errno != ENOENT)
                status = fail_errno(why, "%s", path);
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return status;
}

Status service_store_backup_to(Store *store, const char *folder, int64_t keep, char path[SERVICE_PATH_BYTES],
                               Message *why)
{
    char name[64], moment[32], part[SERVICE_PATH_BYTES];
    const time_t now = time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    strftime(moment, sizeof moment, "%Y-%m-%dT%H%M%SZ", &parts);
    snprintf(name, sizeof name, "%s%s%s", COPY_BEGINS, moment, COPY_ENDS);
    TRY(path_in(folder, name, path, why));
    snprintf(name, sizeof name, "%s%s%s", COPY_BEGINS, moment, PART_ENDS);
    TRY(path_in(folder, name, part, why));
    TRY(remove_oldest(folder, is_part, 0, why));
    TRY(service_store_backup(store, part, why));
    if (rename(part, path) != 0)
        return fail_errno(why, "%s", path);
    return remove_oldest(folder, is_copy, keep, why);
}

/* ---- restoring --------------------------------------------------------------------------------------------------- */

/* More than a class submits between two copies. */
enum { UNSEEN_NUMBERS = 10000 };

/* A copy that is damaged, which opening it notices, or that is no store, is refused before anything is changed. */
static Status check_copy(const char *copy, Store **store, Message *why)
{
    int version;
    Status status = store_open(copy, STORE_READ, store, why);
    if (status == STATUS_NOT_FOUND)
        return fail(status, why, "%s: there is no such file, expected a copy of `convjudge backup`", copy);
    THEN(status, read_version(*store, &version, why));
    if (status == STATUS_OK && version == 0)
        status = fail(STATUS_BAD_INPUT, why, "%s: holds no submissions, expected a copy of `convjudge backup`", copy);
    return status;
}

/* What is numbered: its column of next_number, and its table. */
static const char *const numbered[][2] = {{"submission", "submission"}, {"run", "runs"}};
enum { NUMBERED = sizeof numbered / sizeof *numbered };

/* The next number of each; 0: the present store does not tell, or there is none. */
static void present_numbers(const char *path, Arena *arena, int64_t numbers[NUMBERED])
{
    Store *present = NULL;
    Status status = store_open(path, STORE_READ, &present, NULL);
    for (int i = 0; i < NUMBERED && status == STATUS_OK; i++) {
        int64_t least = 0; /* stays so in a store of an earlier version */
        (void)!database_int(present, &least, NULL,
                            arena_printf(arena, "SELECT max(%s) FROM next_number", numbered[i][0]), "");
        status = database_int(present, &numbers[i], NULL,
                              arena_printf(arena, "SELECT max(?1, coalesce(max(id), 0) + 1) FROM %s", numbered[i][1]),
                              "i", least);
    }
    store_close(present);
}

/* Brings the copy up to this version, and sets its next numbers. */
static Status prepare_copy(const char *restored, const char *present, const char *from, int64_t *next_number,
                           Message *why)
{
    Store *store = NULL;
    Arena arena = {0};
    int64_t numbers[NUMBERED] = {0};
    Status status = store_open(restored, STORE_WRITE, &store, why);
    THEN(status, make_tables(store, why));
    present_numbers(present, &arena, numbers);
    for (int i = 0; i < NUMBERED; i++)
        THEN(status,
             database_do(
                 store, NULL, why,
                 arena_printf(&arena,
                              "UPDATE next_number SET %s = max(%s, ?1, (SELECT coalesce(max(id), 0) + 1 FROM %s))"
                              " + iif(?1 > 0, 0, ?2)",
                              numbered[i][0], numbered[i][0], numbered[i][1]),
                 "ii", numbers[i], (int64_t)UNSEEN_NUMBERS));
    THEN(status, database_int(store, next_number, why, "SELECT submission FROM next_number", ""));
    THEN(status, audit_add(store, "administrator", "restore", from, why));
    THEN(status, database_run(store, "PRAGMA wal_checkpoint(TRUNCATE)", why));
    store_close(store);
    arena_free(&arena);
    return status;
}

/* The store is three files, and the names of the last two follow that of the first. */
static Status move_store(const char *from, const char *to, Message *why)
{
    static const char *const endings[] = {"-shm", "-wal", ""};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char old[SERVICE_PATH_BYTES + 8], new[SERVICE_PATH_BYTES + 8];
        snprintf(old, sizeof old, "%s%s", from, endings[i]);
        snprintf(new, sizeof new, "%s%s", to, endings[i]);
        if (rename(old, new) != 0 && errno != ENOENT)
            return fail_errno(why, "%s", old);
    }
    return STATUS_OK;
}

static Status restore_locked(const char *folder, const char *copy, char kept[SERVICE_PATH_BYTES], int64_t *next_number,
                             Message *why)
{
    char path[SERVICE_PATH_BYTES], restored[SERVICE_PATH_BYTES];
    Store *source = NULL;
    struct stat info;
    TRY(service_store_path(folder, path, why));
    TRY(path_in(folder, "convjudge.db.restoring", restored, why));
    if (unlink(restored) != 0 && errno != ENOENT)
        return fail_errno(why, "%s", restored);
    Status status = check_copy(copy, &source, why);
    THEN(status, service_store_backup(source, restored, why));
    store_close(source);
    kept[0] = '\0';
    THEN(status, prepare_copy(restored, path, copy, next_number, why));
    if (status == STATUS_OK && stat(path, &info) == 0) {
        char name[80];
        snprintf(name, sizeof name, "convjudge.db.before-%s", utc_now().text);
        TRY(path_in(folder, name, kept, why));
        status = move_store(path, kept, why);
    }
    if (status == STATUS_OK && rename(restored, path) != 0)
        status = fail_errno(why, "%s", path);
    if (status == STATUS_OK && lost_path(folder, path, why) == STATUS_OK)
        unlink(path);
    return status;
}

Status service_store_restore(const char *folder, const char *copy, char kept[SERVICE_PATH_BYTES], int64_t *next_number,
                             Message *why)
{
    struct stat info;
    if (geteuid() == 0 && stat(folder, &info) == 0 && info.st_uid != 0)
        return fail(STATUS_BAD_INPUT, why, "%s: belongs to another account, which alone can restore: use sudo -u",
                    folder);
    TRY(prepare_folder(folder, why));
    return restore_locked(folder, copy, kept, next_number, why);
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

Status service_store_put_run(Store *store, const Run *run, int64_t *id, Message *why)
{
    Run numbered_run = *run;
    TRY(database_int(store, &numbered_run.least_id, why, "SELECT run FROM next_number", ""));
    return store_put_run(store, &numbered_run, id, why);
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
