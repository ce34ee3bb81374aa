#include "harness/device/monitor/device_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

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
    const char *chosen = getenv("CONVJUDGE_LOCKS");
    struct stat folder;
    if (chosen != NULL && chosen[0] != '\0')
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
        Status status = make_file(path, why);
        if (status != STATUS_OK)
            return status;
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
    Status status = lock_path(uuid, path, size, why);
    return status == STATUS_OK ? open_file(path, file, why) : status;
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
    Status status = open_lock(uuid, path, sizeof path, &file, why);
    if (status != STATUS_OK)
        return status;
    if (take(file, &has_turn)) {
        *descriptor = file;
        return STATUS_OK;
    }
    status = explain_refusal(file, path, why);
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
    if (status != STATUS_OK)
        return status;
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
