#include "harness/sandbox/scratch.h"

#include "base/compile_cache.h"
#include "harness/sandbox/cgroup.h"
#include "harness/sandbox/judge_name.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The janitor tries several times, since the parent's children die with it but may still be writing: on a busy machine for
 * seconds. For what is unfinished in the compile cache, which may be another judge's, it does not try that long. */
enum { JANITOR_TRIES = 500, CACHE_TRIES = 50, JANITOR_PAUSE_MS = 10 };
enum { ABANDONED_AFTER_S = 3600 };

static const char *parent_folder(void)
{
    const char *folder = getenv("TMPDIR");
    return folder != NULL && folder[0] == '/' ? folder : "/tmp";
}

/* Removes `name` in the folder `at`, depth first. It works by descriptors, not paths: nobody can swap a component for
 * a link. */
static void remove_tree(int at, const char *name)
{
    if (unlinkat(at, name, 0) == 0 || (errno != EISDIR && errno != EPERM))
        return;
    int folder = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *entries = folder < 0 ? NULL : fdopendir(folder);
    if (entries == NULL) {
        if (folder >= 0)
            close(folder);
        return;
    }
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            remove_tree(folder, entry->d_name);
    closedir(entries);
    unlinkat(at, name, AT_REMOVEDIR);
}

void scratch_remove(const char *path)
{
    remove_tree(AT_FDCWD, path);
}

/* Whether nobody uses the folder any more. That its process is missing is not enough: it may run in another container
 * that shares the folder for temporary files. */
static bool abandoned(const struct stat *info, pid_t owner)
{
    return kill(owner, 0) != 0 && errno == ESRCH && time(NULL) - info->st_mtime > ABANDONED_AFTER_S;
}

/* Removes this user's folders in `path`: those of `owner`, or all abandoned ones if `owner` is 0. Returns how many
 * are still there. */
static int sweep(const char *path, pid_t owner)
{
    DIR *entries = opendir(path);
    if (entries == NULL)
        return 0;
    int at = dirfd(entries), left = 0;
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        pid_t found = judge_name_owner(entry->d_name);
        struct stat info;
        if (found == 0 || fstatat(at, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 || info.st_uid != geteuid())
            continue;
        if (owner != 0 ? !judge_name_is_of(entry->d_name, owner) : !abandoned(&info, found))
            continue;
        remove_tree(at, entry->d_name);
        left += fstatat(at, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0;
    }
    closedir(entries);
    return left;
}

/* Waits until the other end of the pipe is gone, that is, until the parent is; true if it has said farewell. */
static bool await_end(int pipe_end)
{
    bool was_orderly = false;
    char byte;
    ssize_t count;
    while ((count = read(pipe_end, &byte, 1)) > 0 || (count < 0 && errno == EINTR))
        was_orderly |= count > 0;
    return was_orderly;
}

/* Removes the parent's folders after its end, and what a killed process left in the compile cache. One that says farewell has
 * ended its children before, so that what is still unfinished there is another judge's, which may take long. */
static void janitor(int pipe_end, const char *folder, pid_t parent)
{
    setsid(); /* neither Ctrl-C nor a signal to the parent's group reaches it */
    dup2(pipe_end, 0);
    close_range(1, ~0u, 0); /* otherwise a reader of an inherited output would wait for the janitor to end */
    const bool was_orderly = await_end(0);
    for (int try = 0; try < JANITOR_TRIES; try++) {
        const int left = sweep(folder, parent) + cgroup_sweep(parent);
        const bool is_in_work = compile_cache_sweep(NULL) > 0 && !was_orderly && try < CACHE_TRIES;
        if (left == 0 && !is_in_work)
            break;
        nanosleep(&(struct timespec){.tv_nsec = JANITOR_PAUSE_MS * 1000000l}, NULL);
    }
    _exit(0);
}

static pid_t has_janitor; /* a forked child needs one of its own */
static int janitor_pipe;

static void say_farewell(void)
{
    signal(SIGPIPE, SIG_IGN); /* the janitor may have been killed */
    if (has_janitor == getpid() && write(janitor_pipe, "", 1) < 0)
        return;
}

Status scratch_guard(Message *why)
{
    const char *folder = parent_folder();
    if (has_janitor == getpid())
        return STATUS_OK;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return fail_errno(why, "no pipe");
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        close(ends[1]);
        janitor(ends[0], folder, parent);
    }
    close(ends[0]);
    if (child < 0) {
        close(ends[1]);
        return fail_errno(why, "no process can be started that clears temporary files away");
    }
    has_janitor = parent;
    janitor_pipe = ends[1]; /* stays open until this process ends */
    atexit(say_farewell);
    sweep(folder, 0);
    return STATUS_OK;
}

Status scratch_new(char *path, size_t size, Message *why)
{
    const char *parent = parent_folder();
    char begin[JUDGE_NAME_BYTES];
    judge_name_begin(getpid(), begin);
    if ((size_t)snprintf(path, size, "%s/%sXXXXXX", parent, begin) >= size)
        return fail(STATUS_BAD_INPUT, why, "TMPDIR=%.100s...: the path is too long", parent);
    Status status = scratch_guard(why);
    if (status != STATUS_OK)
        return status;
    if (mkdtemp(path) == NULL)
        return fail_errno(why, "%s: no temporary folder can be made here; set TMPDIR to a folder where it can", parent);
    return STATUS_OK;
}
