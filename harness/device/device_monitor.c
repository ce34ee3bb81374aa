#include "harness/device/device_monitor.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/paths.h"
#include "harness/device/launch_check.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ==== nvml ======================================================================================================== */

static Nvml loaded;

static const LibraryCall CALLS[] = {
#define NVML_ROW(name, symbol, result, parameters) {symbol, offsetof(Nvml, name)},
    NVML_CALLS(NVML_ROW)
#undef NVML_ROW
};

static Status bind_calls(void *library, const char *name, Message *why)
{
    const char *lacking = library_bind(library, CALLS, sizeof CALLS / sizeof *CALLS, &loaded);
    return lacking == NULL ? STATUS_OK : fail(STATUS_NOT_FOUND, why, "%s: has no %s", name, lacking);
}

/* Opens the library (the environment variable CONVJUDGE_NVML names another one) and initialises it, once per process.
 * NOT_FOUND: there is none. */
static Status nvml_open(const Nvml **opened, Message *why)
{
    static void *library;
    *opened = &loaded;
    if (library != NULL)
        return STATUS_OK;
    const char *name = library_name("CONVJUDGE_NVML", "libnvidia-ml.so.1");
    void *found = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (found == NULL)
        return fail(STATUS_NOT_FOUND, why, "no management library (NVML) here: %s", dlerror());
    Status status = bind_calls(found, name, why);
    NvmlResult result = status == STATUS_OK ? loaded.init() : NVML_DONE;
    if (result != NVML_DONE)
        status = fail(STATUS_NOT_FOUND, why, "%s does not start: %s", name, loaded.error_text(result));
    if (status == STATUS_OK)
        library = found;
    else
        dlclose(found);
    return status;
}

/* ==== wait limit ================================================================================================== */

static const double TELL_S = 1;
enum { PAUSE_MS = 100 };

/* Sleeps for a tenth of a second; returns false at once when `seconds` are over. */
static bool wait_limit_left(WaitLimit *limit, const char *reason)
{
    if (limit->began_s == 0) {
        limit->began_s = now_s();
        limit->next_s = TELL_S;
    }
    limit->waited_s = now_s() - limit->began_s;
    if (limit->waited_s >= limit->seconds)
        return false;
    if (limit->tell != NULL && limit->waited_s >= limit->next_s) {
        limit->tell(limit->context, reason, limit->waited_s);
        limit->next_s = limit->waited_s + TELL_S;
    }
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_MS * 1000000L}, NULL);
    return true;
}

/* ==== device lock ================================================================================================= */

static Status refuse(Message *why, const char *path, const char *trouble)
{
    return fail(STATUS_SYSTEM, why,
                "%s, the GPU's lock file: %s; remove it, or set CONVJUDGE_LOCKS to a folder that every user can "
                "write to, the same for all users",
                path, trouble);
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* Users who cannot write to a folder would use another one, and so another lock. */
static const char *lock_folder(void)
{
    const char *chosen = paths_variable("CONVJUDGE_LOCKS");
    struct stat folder;
    if (chosen != NULL)
        return chosen;
    bool for_all = stat("/run/lock", &folder) == 0 && (folder.st_mode & S_IWOTH) != 0 && access("/run/lock", W_OK) == 0;
    return for_all ? "/run/lock" : "/tmp";
}

static Status lock_path(const char *uuid, char *path, size_t size, Message *why)
{
    static const char ALLOWED[] = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    if (uuid[0] == '\0' || uuid[strspn(uuid, ALLOWED)] != '\0')
        return fail(STATUS_BAD_INPUT, why, "'%s' is not the uuid of a GPU", uuid);
    if (snprintf(path, size, "%s/convjudge-%s.lock", lock_folder(), uuid) >= (int)size)
        return fail(STATUS_BAD_INPUT, why, "CONVJUDGE_LOCKS=%.100s...: the path is too long", lock_folder());
    return STATUS_OK;
}

/* Creates the file under another name and renames it, so that it never has the few permissions that the umask
 * leaves. */
static Status make_file(const char *path, Message *why)
{
    char draft[PATH_MAX + 8];
    snprintf(draft, sizeof draft, "%s.XXXXXX", path);
    int file = mkostemp(draft, O_CLOEXEC);
    if (file < 0)
        return refuse(why, path, strerror(errno));
    bool made = fchmod(file, 0666) == 0 &&
                (renameat2(AT_FDCWD, draft, AT_FDCWD, path, RENAME_NOREPLACE) == 0 || errno == EEXIST);
    Status status = made ? STATUS_OK : refuse(why, path, strerror(errno));
    unlink(draft); /* still there if another process was faster, or renaming failed */
    close(file);
    return status;
}

/* Never opens with O_CREAT: the kernel refuses that for files of other users in shared folders (fs.protected_regular).
 * Never follows links: another user could make the judge write into a file of the judge's user. */
static Status open_file(const char *path, int *file, Message *why)
{
    static const int FLAGS = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    struct stat found;
    *file = open(path, FLAGS);
    if (*file < 0 && errno == ENOENT) {
        TRY(make_file(path, why));
        *file = open(path, FLAGS);
    }
    if (*file < 0)
        return refuse(why, path, errno == ELOOP ? "is a symbolic link" : strerror(errno));
    if (fstat(*file, &found) == 0 && S_ISREG(found.st_mode) && found.st_nlink <= 1)
        return STATUS_OK;
    close(*file);
    return refuse(why, path, "is not a regular file with one name");
}

/* ---- who holds it ------------------------------------------------------------------------------------------------ */

/* "1234 1000 convjudge": process, user, program. If writing fails, the holder stays unnamed. */
static void sign(int file)
{
    char text[100];
    int length = snprintf(text, sizeof text, "%d %u %.60s\n", (int)getpid(), (unsigned)getuid(),
                          program_invocation_short_name);
    if (ftruncate(file, 0) != 0 || pwrite(file, text, (size_t)length, 0) != length)
        (void)!ftruncate(file, 0);
}

static void name_holder(int file, Message *why)
{
    char text[100] = "", program[64];
    int process;
    unsigned user;
    (void)!pread(file, text, sizeof text - 1, 0);
    if (sscanf(text, "%d %u %63[ -~]", &process, &user, program) != 3) {
        fail(STATUS_OK, why, "another process");
        return;
    }
    const struct passwd *account = getpwuid(user);
    if (account != NULL)
        fail(STATUS_OK, why, "process %d (%s) of %s", process, program, account->pw_name);
    else
        fail(STATUS_OK, why, "process %d (%s) of user %u", process, program, user);
}

/* ---- locking ----------------------------------------------------------------------------------------------------- */

static Status open_lock(const char *uuid, char *path, size_t size, int *file, Message *why)
{
    TRY(lock_path(uuid, path, size, why));
    return open_file(path, file, why);
}

/* The process that holds a lock on the file's first byte takes the next turn. */
static bool set_turn(int file, short type)
{
    struct flock turn = {.l_type = type, .l_whence = SEEK_SET, .l_len = 1};
    return fcntl(file, F_OFD_SETLK, &turn) == 0;
}

/* Takes the turn, then the lock, and keeps the turn until it has the lock. Without turns, a grader that takes the lock
 * again at once would keep out all others, which look only now and then. */
static bool take(int file, bool *has_turn)
{
    *has_turn = *has_turn || set_turn(file, F_WRLCK);
    if (!*has_turn || flock(file, LOCK_EX | LOCK_NB) != 0)
        return false;
    sign(file);
    set_turn(file, F_UNLCK);
    return true;
}

/* OK: another process has the lock, or the turn. */
static Status explain_refusal(int file, const char *path, Message *why)
{
    if (errno != EWOULDBLOCK && errno != EACCES)
        return refuse(why, path, strerror(errno));
    name_holder(file, why);
    return STATUS_OK;
}

Status device_lock_try(const char *uuid, int *descriptor, Message *why)
{
    char path[PATH_MAX];
    int file;
    bool has_turn = false;
    *descriptor = -1;
    TRY(open_lock(uuid, path, sizeof path, &file, why));
    if (take(file, &has_turn)) {
        *descriptor = file;
        return STATUS_OK;
    }
    Status status = explain_refusal(file, path, why);
    close(file);
    return status;
}

Status device_lock_wait(const char *uuid, double seconds, WaitTell *tell, void *context, int *descriptor, Message *why)
{
    WaitLimit limit = {.seconds = seconds, .tell = tell, .context = context};
    char path[PATH_MAX];
    Message holder;
    int file;
    bool has_turn = false;
    *descriptor = -1;
    Status status = open_lock(uuid, path, sizeof path, &file, why);
    TRY(status);
    while (!take(file, &has_turn)) {
        status = explain_refusal(file, path, &holder);
        if (status != STATUS_OK)
            fail(status, why, "%s", holder.text);
        else if (!wait_limit_left(&limit, holder.text))
            status = fail(STATUS_BUSY, why, "the GPU %s is still in use after %.0f s: %s", uuid, limit.waited_s,
                          holder.text);
        if (status != STATUS_OK) {
            close(file);
            return status;
        }
    }
    *descriptor = file;
    return STATUS_OK;
}

/* ==== device monitor ============================================================================================== */

enum { MOST_PROCESSES = 256 };

/* A clock under load varies by a step of 15 MHz; if it is lower than this, something holds it there. */
static const double LEAST_OF_USUAL_CLOCK = 0.97;

struct DeviceMonitor {
    const Nvml *nvml;
    NvmlDevice device;
};

Status device_monitor_open(const char *uuid, DeviceMonitor **monitor, Message *why)
{
    const Nvml *nvml;
    NvmlDevice device;
    TRY(nvml_open(&nvml, why));
    NvmlResult result = nvml->device_by_uuid(uuid, &device);
    if (result != NVML_DONE)
        return fail(STATUS_NOT_FOUND, why, "NVML does not know %s: %s", uuid, nvml->error_text(result));
    *monitor = allocated(malloc(sizeof **monitor));
    **monitor = (DeviceMonitor){.nvml = nvml, .device = device};
    return STATUS_OK;
}

void device_monitor_close(DeviceMonitor *monitor)
{
    free(monitor);
}

/* Values that a device does not report stay 0. */
void device_monitor_read(const DeviceMonitor *monitor, DeviceState *state)
{
    const Nvml *nvml = monitor->nvml;
    unsigned milliwatts = 0;
    unsigned long long reasons = 0;
    *state = (DeviceState){0};
    nvml->clock(monitor->device, NVML_CLOCK_SM, &state->sm_clock_mhz);
    nvml->clock(monitor->device, NVML_CLOCK_MEMORY, &state->memory_clock_mhz);
    nvml->max_clock(monitor->device, NVML_CLOCK_SM, &state->max_sm_clock_mhz);
    nvml->temperature(monitor->device, NVML_SENSOR_GPU, &state->temperature_c);
    nvml->threshold(monitor->device, NVML_THRESHOLD_SLOWDOWN, &state->slowdown_temperature_c);
    nvml->power(monitor->device, &milliwatts);
    nvml->reasons(monitor->device, &reasons);
    state->power_w = milliwatts / 1000.0;
    state->reasons = (uint32_t)reasons;
}

/* ---- other processes --------------------------------------------------------------------------------------------- */

/* This works even if /proc hides the processes of other users. */
static bool exists_here(pid_t process)
{
    return kill(process, 0) == 0 || errno == EPERM;
}

/* "1234 (python3)", or the number alone. */
static void describe_process(pid_t process, char *text, size_t size)
{
    char path[64], name[64] = "";
    snprintf(path, sizeof path, "/proc/%d/comm", (int)process);
    FILE *file = fopen(path, "r");
    bool found = file != NULL && fgets(name, sizeof name, file) != NULL;
    if (file != NULL)
        fclose(file);
    name[strcspn(name, "\n")] = '\0';
    for (char *c = name; *c != '\0'; c++) /* a process chooses its own name */
        if (*c < ' ' || *c > '~')
            *c = '?';
    snprintf(text, size, found ? "%d (%s)" : "%d", (int)process, name);
}

static bool is_among(pid_t process, const pid_t *processes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (processes[i] == process)
            return true;
    return false;
}

/* In a container, listed processes that do not exist here may be the judge's own under other numbers: as many of them
 * as there are own processes that are not listed. */
static bool others_run(const DeviceMonitor *monitor, const pid_t *own, size_t own_count, char *text, size_t size)
{
    NvmlProcess processes[MOST_PROCESSES];
    pid_t listed[MOST_PROCESSES];
    unsigned count = MOST_PROCESSES;
    size_t unknown = 0, unlisted = 0;
    NvmlResult result = monitor->nvml->processes(monitor->device, &count, processes);
    if (result == NVML_INSUFFICIENT_SIZE)
        return snprintf(text, size, "more than %d processes use the GPU", MOST_PROCESSES), true;
    if (result != NVML_DONE)
        return false;
    for (unsigned i = 0; i < count; i++) {
        char process[100];
        listed[i] = (pid_t)processes[i].pid;
        if (is_among(listed[i], own, own_count))
            continue;
        if (exists_here(listed[i])) {
            describe_process(listed[i], process, sizeof process);
            return snprintf(text, size, "process %s uses the GPU", process), true;
        }
        unknown++;
    }
    for (size_t i = 0; i < own_count; i++)
        unlisted += own[i] > 0 && !is_among(own[i], listed, count);
    if (unknown <= unlisted)
        return false;
    return snprintf(text, size, "a process outside this container uses the GPU"), true;
}

/* ---- clock and temperature --------------------------------------------------------------------------------------- */

static const struct {
    uint32_t reason;
    const char *words;
} REASONS[] = {
    {NVML_REASON_IDLE, "idle"},
    {NVML_REASON_APPLICATION_SETTING, "clock setting"},
    {NVML_REASON_POWER_CAP, "power cap"},
    {NVML_REASON_HARDWARE_SLOWDOWN, "hardware slowdown"},
    {NVML_REASON_SYNC_BOOST, "sync boost"},
    {NVML_REASON_SOFTWARE_THERMAL, "thermal slowdown"},
    {NVML_REASON_HARDWARE_THERMAL, "hardware thermal slowdown"},
    {NVML_REASON_POWER_BRAKE, "power brake"},
    {NVML_REASON_DISPLAY_SETTING, "display clock setting"},
};

void device_monitor_reasons(uint32_t reasons, char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (uint32_t bit = 1; bit != 0 && length < size; bit <<= 1) {
        char unnamed[32];
        const char *words = unnamed;
        if ((reasons & bit) == 0)
            continue;
        snprintf(unnamed, sizeof unnamed, "reason 0x%x", bit); /* added by a later NVML */
        for (size_t i = 0; i < sizeof REASONS / sizeof *REASONS; i++)
            words = REASONS[i].reason == bit ? REASONS[i].words : words;
        length += (size_t)snprintf(text + length, size - length, "%s%s", length == 0 ? "" : ", ", words);
    }
}

/* An idle clock, or one for which NVML gives no reason, says nothing about the clock under load. */
static bool clock_is_held(const DeviceState *state, double usual_mhz, char *text, size_t size)
{
    char reasons[200];
    double usual = usual_mhz > 0 ? usual_mhz : state->max_sm_clock_mhz;
    if (state->sm_clock_mhz == 0 || state->sm_clock_mhz >= LEAST_OF_USUAL_CLOCK * usual || state->reasons == 0 ||
        (state->reasons & NVML_REASON_IDLE) != 0)
        return false;
    device_monitor_reasons(state->reasons, reasons, sizeof reasons);
    snprintf(text, size, "the clock is held at %u MHz (usually %.0f): %s", state->sm_clock_mhz, usual, reasons);
    return true;
}

static bool is_hot(const DeviceState *state, char *text, size_t size)
{
    if (state->slowdown_temperature_c == 0 || state->temperature_c < state->slowdown_temperature_c)
        return false;
    snprintf(text, size, "the GPU is at %u C and slows down from %u C on", state->temperature_c,
             state->slowdown_temperature_c);
    return true;
}

bool device_monitor_disturbed(const DeviceMonitor *monitor, const pid_t *own, size_t own_count, double usual_mhz,
                              char *text, size_t size)
{
    DeviceState state;
    text[0] = '\0';
    device_monitor_read(monitor, &state);
    return others_run(monitor, own, own_count, text, size) || is_hot(&state, text, size) ||
           clock_is_held(&state, usual_mhz, text, size);
}

Status device_monitor_wait(const DeviceMonitor *monitor, const pid_t *own, size_t own_count, double usual_mhz,
                           double seconds, WaitTell *tell, void *context, Message *why)
{
    WaitLimit limit = {.seconds = seconds, .tell = tell, .context = context};
    char text[300];
    while (device_monitor_disturbed(monitor, own, own_count, usual_mhz, text, sizeof text))
        if (!wait_limit_left(&limit, text))
            return fail(STATUS_BUSY, why, "%s", text);
    return STATUS_OK;
}
