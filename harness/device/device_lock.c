#include "harness/device/device_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const double LOOK_SECONDS = 0.05, TELL_SECONDS = 1;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static const char *lock_folder(void)
{
    const char *chosen = getenv("CONVJUDGE_LOCKS");
    if (chosen != NULL && chosen[0] != '\0')
        return chosen;
    return access("/run/lock", W_OK | X_OK) == 0 ? "/run/lock" : "/tmp";
}

/* Others' files in a folder like /tmp may be opened, but not with O_CREAT (fs.protected_regular, sysctl/fs). */
static int open_or_create(const char *path)
{
    const int flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
    int descriptor = open(path, flags);
    if (descriptor >= 0 || errno != ENOENT)
        return descriptor;
    descriptor = open(path, flags | O_CREAT | O_EXCL, 0666);
    if (descriptor < 0)
        return errno == EEXIST ? open(path, flags) : -1;
    if (fchmod(descriptor, 0666) != 0) /* for all users, whatever the umask */
        return close(descriptor), -1;
    return descriptor;
}

static Status open_lock(const char *uuid, int *descriptor, Message *why)
{
    char path[PATH_MAX];
    struct stat info;
    snprintf(path, sizeof path, "%s/convjudge-%s.lock", lock_folder(), uuid);
    *descriptor = open_or_create(path);
    if (*descriptor < 0)
        return fail_errno(why, "%s: the device's lock file cannot be opened; CONVJUDGE_LOCKS names another folder", path);
    if (fstat(*descriptor, &info) == 0 && S_ISREG(info.st_mode))
        return STATUS_OK;
    close(*descriptor);
    *descriptor = -1;
    return fail(STATUS_SYSTEM, why, "%s: expected a regular file, the device's lock; remove what stands there", path);
}

/* ---- who has it -------------------------------------------------------------------------------------------------- */

static void sign(int descriptor)
{
    char text[200], name[64] = "?";
    const struct passwd *user = getpwuid(geteuid());
    FILE *file = fopen("/proc/self/comm", "r");
    if (file != NULL && fscanf(file, "%63s", name) != 1)
        strcpy(name, "?");
    if (file != NULL)
        fclose(file);
    int length = snprintf(text, sizeof text, "process %d (%s) of %s\n", (int)getpid(), name,
                          user == NULL ? "an unknown user" : user->pw_name);
    if (ftruncate(descriptor, 0) != 0 || pwrite(descriptor, text, (size_t)length, 0) != length)
        return; /* it is only for the others' messages */
}

/* Anybody can write into the file: what stands there is shown as far as it is plain text. */
static void read_holder(int descriptor, char *holder, size_t size)
{
    ssize_t length = pread(descriptor, holder, size - 1, 0);
    length = length < 0 ? 0 : length;
    holder[length] = '\0';
    holder[strcspn(holder, "\n")] = '\0';
    for (char *c = holder; *c != '\0'; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    if (holder[0] == '\0')
        snprintf(holder, size, "another grading");
}

/* ---- taking it --------------------------------------------------------------------------------------------------- */

static Status try_lock(int descriptor, bool *taken, Message *why)
{
    *taken = flock(descriptor, LOCK_EX | LOCK_NB) == 0;
    if (!*taken && errno != EWOULDBLOCK && errno != EINTR)
        return fail_errno(why, "the device's lock");
    if (*taken)
        sign(descriptor);
    return STATUS_OK;
}

static Status wait_for(int descriptor, double seconds, DeviceLockTell *tell, void *context, Message *why)
{
    const struct timespec look = {.tv_nsec = (long)(LOOK_SECONDS * 1e9)};
    double start_s = now_s(), told_s = start_s;
    char holder[120] = "another grading";
    bool taken = false;
    Status status = try_lock(descriptor, &taken, why);
    while (status == STATUS_OK && !taken) {
        double waited_s = now_s() - start_s;
        if (waited_s >= seconds)
            return fail(STATUS_BUSY, why, "the GPU is still in use by %s after %.0f s", holder, waited_s);
        if (now_s() - told_s >= TELL_SECONDS) {
            told_s = now_s();
            read_holder(descriptor, holder, sizeof holder);
            if (tell != NULL)
                tell(context, holder, waited_s);
        }
        nanosleep(&look, NULL);
        status = try_lock(descriptor, &taken, why);
    }
    return status;
}

Status device_lock_wait(const char *uuid, double seconds, DeviceLockTell *tell, void *context, int *descriptor,
                        Message *why)
{
    Status status = open_lock(uuid, descriptor, why);
    if (status != STATUS_OK)
        return status;
    status = wait_for(*descriptor, seconds, tell, context, why);
    if (status != STATUS_OK) {
        close(*descriptor);
        *descriptor = -1;
    }
    return status;
}

Status device_lock_try(const char *uuid, int *descriptor, Message *why)
{
    char holder[120];
    bool taken = false;
    Status status = open_lock(uuid, descriptor, why);
    if (status == STATUS_OK)
        status = try_lock(*descriptor, &taken, why);
    if (status == STATUS_OK && taken)
        return STATUS_OK;
    if (status == STATUS_OK) {
        read_holder(*descriptor, holder, sizeof holder);
        fail(STATUS_BUSY, why, "%s", holder);
    }
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
    return status;
}
