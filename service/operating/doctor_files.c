#include "service/operating/doctor.h"

#include "base/clock.h"
#include "base/file_system.h"
#include "base/paths.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { WRITES = 5, BLOCK_BYTES = 4096 };
static const double SLOW_MS = 50, LEAST_GIB = 2;

/* ---- disks ------------------------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median time to get a block onto the disk; negative where nothing can be written. */
static double sync_ms(const char *folder)
{
    char path[PATH_MAX], block[BLOCK_BYTES] = {0};
    double times[WRITES];
    if ((size_t)snprintf(path, sizeof path, "%s/convjudge-doctor-XXXXXX", folder) >= sizeof path)
        return -1;
    const int file = mkstemp(path);
    if (file < 0)
        return -1;
    unlink(path);
    bool written = true;
    for (int i = 0; i < WRITES && written; i++) {
        const double start_s = now_s();
        written = write(file, block, sizeof block) == (ssize_t)sizeof block && fsync(file) == 0;
        times[i] = 1e3 * (now_s() - start_s);
    }
    close(file);
    qsort(times, WRITES, sizeof *times, compare);
    return written ? times[WRITES / 2] : -1;
}

typedef struct Disk {
    const char *what, *folder;
    bool holds_store;          /* a database: no network file system, and each run waits for the disk */
    CheckupLevel if_read_only; /* where nothing can be written */
    const char *cost;          /* of that */
} Disk;

static void examine_disk(const Disk *disk, Checkup *checkup)
{
    struct statvfs info = {0};
    const char *network = NULL, *cost = "";
    const double ms = sync_ms(disk->folder);
    if (statvfs(disk->folder, &info) != 0 || file_system_network(disk->folder, &network, NULL) != STATUS_OK || ms < 0) {
        checkup_add(checkup, disk->if_read_only, disk->what, disk->cost, "%s: nothing can be written there",
                    disk->folder);
        return;
    }
    const double free_gib = (double)info.f_bavail * (double)info.f_frsize / (1 << 30);
    if (disk->holds_store && network != NULL)
        cost = "The database may be damaged, since its log needs shared memory. Move it to a local disk.";
    else if (free_gib < LEAST_GIB)
        cost = "A full disk ends gradings with a judge error. Make room.";
    else if (disk->holds_store && ms > SLOW_MS)
        cost = "Each run waits for the disk twice. A faster one makes a busy service quicker.";
    checkup_add(checkup, cost[0] == '\0' ? CHECKUP_OK : CHECKUP_NOTE, disk->what, cost,
                "%s: %.1f GiB free, a write reaches the disk in %.1f ms%s%s", disk->folder, free_gib, ms,
                network == NULL ? "" : ", on ", network == NULL ? "" : network);
}

static void examine_disks(const char *database, const char *state, Checkup *checkup)
{
    char folder[PATH_MAX], cache[PATH_MAX];
    const char *temporary = getenv("TMPDIR"), *slash = strrchr(database, '/');
    snprintf(folder, sizeof folder, "%.*s", slash == NULL ? 1 : (int)(slash - database),
             slash == NULL ? "." : database);
    const Disk disks[] = {
        {"leaderboard", folder, true, CHECKUP_NOTE,
         "Runs cannot be kept. Grade with --no-record, or let CONVJUDGE_DB name a file of your own."},
        {"temporary files", temporary == NULL || temporary[0] == '\0' ? "/tmp" : temporary, false, CHECKUP_MISSING,
         "Nothing can be compiled. Let TMPDIR name a folder of your own."},
        {"service's state", state, true, CHECKUP_NOTE,
         "Only the service's account can write there, which is as it should be."},
        {"compile cache", cache, false, CHECKUP_NOTE,
         "Each file is compiled anew. Let CONVJUDGE_CACHE name a folder of your own."},
    };
    if (paths_cache(cache, sizeof cache, NULL) != STATUS_OK)
        cache[0] = '\0';
    for (size_t i = 0; i < sizeof disks / sizeof *disks; i++)
        if (disks[i].if_read_only == CHECKUP_MISSING || access(disks[i].folder, F_OK) == 0)
            examine_disk(&disks[i], checkup);
}

/* ---- who may read what ------------------------------------------------------------------------------------------- */

/* How many of the files that match are readable for everybody. */
static int count_public(const char *pattern)
{
    char path[PATH_MAX];
    glob_t found;
    struct stat info;
    int count = 0;
    if (paths_home(pattern, path, sizeof path, NULL) != STATUS_OK || glob(path, 0, NULL, &found) != 0)
        return 0;
    for (size_t i = 0; i < found.gl_pathc; i++)
        count += stat(found.gl_pathv[i], &info) == 0 && (info.st_mode & S_IROTH) != 0;
    globfree(&found);
    return count;
}

static void examine_secrets(Checkup *checkup)
{
    const int cases = count_public("testcases/*/hidden.json"), solutions = count_public("solutions/*/accepted/*");
    if (cases + solutions == 0)
        checkup_add(checkup, CHECKUP_OK, "secrets", "", "only some may read hidden cases and solutions");
    else
        checkup_add(
            checkup, CHECKUP_NOTE, "secrets",
            "Fine for practice. For a class, install the service, whose account alone reads them (make install), or "
            "at least: chmod -R o= testcases solutions.",
            "everybody here may read %d files of hidden cases and %d solutions", cases, solutions);
}

static void examine_database(const char *database, Checkup *checkup)
{
    struct stat info;
    if (stat(database, &info) != 0)
        checkup_add(checkup, CHECKUP_OK, "database", "The first grading makes it.", "%s: none yet", database);
    else if ((info.st_mode & S_IWOTH) != 0)
        checkup_add(checkup, CHECKUP_NOTE, "database", "Anybody can change ranks. chmod o-w.",
                    "%s: everybody may write to it", database);
    else if ((info.st_mode & S_IROTH) != 0)
        checkup_add(checkup, CHECKUP_NOTE, "database",
                    "It holds the sources of all submissions. chmod o-r, or run the service.",
                    "%s: everybody may read it", database);
    else
        checkup_add(checkup, CHECKUP_OK, "database", "", "%s: only some may read it", database);
}

void doctor_files(const char *state, Checkup *checkup)
{
    char database[PATH_MAX];
    Message why;
    if (paths_chosen("CONVJUDGE_DB", "leaderboard/leaderboard.db", database, sizeof database, &why) != STATUS_OK) {
        checkup_add(checkup, CHECKUP_MISSING, "judge's folder", "It holds problems and testcases. Set CONVJUDGE_HOME.",
                    "%s", why.text);
        return;
    }
    examine_disks(database, state, checkup);
    examine_database(database, checkup);
    examine_secrets(checkup);
}
