#include "service/worker/workplace.h"

#include "base/file_system.h"
#include "base/hash.h"
#include "base/paths.h"
#include "harness/compile/toolkit.h"
#include "harness/device/open/device_open.h"
#include "service/log/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the device -------------------------------------------------------------------------------------------------- */

/* "auto" is decided here, once: a GPU that fails later must not become the simulated one. */
static Status describe_device(const WorkerSettings *settings, JudgeBench *bench, Message *why)
{
    DeviceInfo info;
    Toolkit toolkit;
    Status status = device_describe(settings->device, &info, why);
    if (status == STATUS_OK)
        status = info.modelled ? toolkit_find(&toolkit, why) : toolkit_find_nvcc(&toolkit, why);
    if (status != STATUS_OK)
        return status;
    if (info.modelled)
        toolkit_mark_times(&toolkit, info.id, sizeof info.id);
    if (info.passed_over[0] != '\0')
        log_event(LEVEL_WARNING, "no_gpu", "why", info.passed_over);
    strcpy(bench->handle, info.handle);
    strcpy(bench->device, info.id);
    strcpy(bench->device_name, info.name);
    bench->simulated = info.modelled;
    return STATUS_OK;
}

/* ---- the name ---------------------------------------------------------------------------------------------------- */

/* "node3-cuda-1"; what is too long is cut. */
static void make_name(const JudgeBench *bench, char name[SPOOL_WORKER_BYTES + 1])
{
    const size_t most = SPOOL_WORKER_BYTES / 2 - 1;
    char host[256] = "";
    if (gethostname(host, sizeof host - 1) != 0 || host[0] == '\0')
        strcpy(host, "host");
    const size_t length = strcspn(host, ".");
    snprintf(name, SPOOL_WORKER_BYTES + 1, "%.*s-%.*s", (int)(length < most ? length : most), host, (int)most,
             bench->handle);
    for (char *at = name; *at != '\0'; at++) {
        const char one[] = {*at, '\0'};
        if (!spool_worker_is_valid(one))
            *at = '-';
    }
}

static Status choose_name(const WorkerSettings *settings, Workplace *place, Message *why)
{
    if (settings->name == NULL)
        make_name(&place->bench, place->name);
    else if (!spool_worker_is_valid(settings->name))
        return fail(STATUS_BAD_INPUT, why,
                    "work: option '--name': expected 1 to %d letters, digits, '-' and '_', found '%s'",
                    SPOOL_WORKER_BYTES, settings->name);
    else
        strcpy(place->name, settings->name);
    return STATUS_OK;
}

enum { MOST_PILOTS = 100 }; /* on one host at a time */

/* ---- the folder -------------------------------------------------------------------------------------------------- */

static Status make_private(const char *folder, Message *why)
{
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        return fail_errno(why, "%s: the worker's folder cannot be made", folder);
    return STATUS_OK;
}

/* The cache is that of several spools, whose workers may have one name. */
static Status choose_cache(const char *spool, Workplace *place, Message *why)
{
    char cache[3900], whole[PATH_MAX];
    Status status = paths_make_cache(cache, sizeof cache, why);
    if (status == STATUS_OK && realpath(spool, whole) == NULL)
        status = fail_errno(why, "%s", spool);
    if (status == STATUS_OK)
        snprintf(place->folder, sizeof place->folder, "%s/workers-%.16s", cache,
                 hash_of_bytes(whole, strlen(whole)).hex);
    return status;
}

static Status choose_parent(const char *spool, Workplace *place, Message *why)
{
    const char *network;
    Status status = file_system_network(spool, &network, why);
    if (status == STATUS_OK && network != NULL)
        return choose_cache(spool, place, why);
    snprintf(place->folder, sizeof place->folder, "%s/workers", spool);
    return status;
}

static Status make_folder(const char *parent, const char *name, Workplace *place, Message *why)
{
    Status status = make_private(parent, why);
    snprintf(place->folder, sizeof place->folder, "%s/%s", parent, name);
    if (status == STATUS_OK)
        status = make_private(place->folder, why);
    snprintf(place->database, sizeof place->database, "%s/judged.db", place->folder);
    place->bench.database = place->database;
    return status;
}

/* The system releases the lock when the process ends, however it ends; a child process does not inherit it. */
static Status lock_folder(Workplace *place, Message *why)
{
    char path[4200];
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    snprintf(path, sizeof path, "%s/lock", place->folder);
    place->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (place->lock < 0)
        return fail_errno(why, "%s: cannot be opened", path);
    if (fcntl(place->lock, F_SETLK, &whole) == 0)
        return STATUS_OK;
    if (errno != EACCES && errno != EAGAIN)
        return fail_errno(why, "%s: cannot be locked", path);
    close(place->lock);
    place->lock = -1;
    return fail(STATUS_BUSY, why, "a worker called %s runs here already, expected another --name", place->name);
}

/* Pilots have a new name each time. So that not each must take reference times anew, they use the folders HOST-DEVICE-1,
 * HOST-DEVICE-2, ... one after the other: the first that no other one has. */
static Status find_pilot_folder(const char *parent, Workplace *place, Message *why)
{
    char base[SPOOL_WORKER_BYTES + 1], name[SPOOL_WORKER_BYTES + 20];
    Status status = STATUS_BUSY;
    make_name(&place->bench, base);
    for (int number = 1; number <= MOST_PILOTS && status == STATUS_BUSY; number++) {
        snprintf(name, sizeof name, "%s-%d", base, number);
        status = make_folder(parent, name, place, why);
        if (status == STATUS_OK)
            status = lock_folder(place, why);
    }
    return status;
}

static Status take_folder(const WorkerSettings *settings, Workplace *place, Message *why)
{
    char parent[sizeof place->folder];
    Status status = choose_parent(settings->spool, place, why);
    memcpy(parent, place->folder, sizeof parent);
    if (status == STATUS_OK && settings->pilot_minutes > 0)
        return find_pilot_folder(parent, place, why);
    if (status == STATUS_OK)
        status = make_folder(parent, place->name, place, why);
    return status == STATUS_OK ? lock_folder(place, why) : status;
}

/* ---- signals ----------------------------------------------------------------------------------------------------- */

/* Must come first: a thread of CUDA's driver that does not block them would let them end the process. */
static Status catch_signals(Workplace *place, Message *why)
{
    sigset_t stopping;
    sigemptyset(&stopping);
    sigaddset(&stopping, SIGTERM);
    sigaddset(&stopping, SIGINT);
    sigprocmask(SIG_BLOCK, &stopping, NULL);
    signal(SIGPIPE, SIG_IGN); /* nobody may read the log any more */
    place->signals = signalfd(-1, &stopping, SFD_CLOEXEC | SFD_NONBLOCK);
    return place->signals >= 0 ? STATUS_OK : fail_errno(why, "signals cannot be read");
}

Status workplace_open(const WorkerSettings *settings, Workplace *place, Message *why)
{
    *place = (Workplace){
        .lock = -1,
        .signals = -1,
        .bench = {.unconfined = settings->unconfined, .explains = settings->explains, .spool = settings->spool}};
    Status status = catch_signals(place, why);
    if (status == STATUS_OK)
        status = describe_device(settings, &place->bench, why);
    if (status == STATUS_OK)
        status = choose_name(settings, place, why);
    if (status == STATUS_OK)
        status = take_folder(settings, place, why);
    if (status != STATUS_OK)
        workplace_close(place);
    return status;
}

void workplace_close(const Workplace *place)
{
    if (place->signals >= 0)
        close(place->signals);
    if (place->lock >= 0)
        close(place->lock);
}

bool workplace_was_replaced(void)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length < 0 ? 0 : length] = '\0';
    return length > 0 && access(path, X_OK) != 0;
}
