#include "base/scratch.h"

#include "base/compile_cache.h"
#include "base/paths.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { JUDGE_NAME_BYTES = 64 };

/* ==== judge name ================================================================================================== */

/* Names of what a judge leaves behind if it is killed: convjudge.<pid>.<namespace of processes>.<rest>
 *
 * Its janitor, or the next judge, removes what bears the name of a process that is gone. Containers may share the place
 * where such things lie, and process numbers mean something else in each, so that the name holds the number of the namespace as
 * well (0: unknown). */

#define PREFIX "convjudge."

/* How all names of a process in this namespace begin. */
static void judge_name_begin(pid_t judge, char begin[JUDGE_NAME_BYTES])
{
    struct stat info = {.st_ino = 0};
    (void)stat("/proc/self/ns/pid", &info);
    snprintf(begin, JUDGE_NAME_BYTES, PREFIX "%d.%lu.", (int)judge, (unsigned long)info.st_ino);
}

/* The process of a name, in whatever namespace; 0: this is no such name. */
static pid_t judge_name_owner(const char *name)
{
    if (strncmp(name, PREFIX, strlen(PREFIX)) != 0 || !isdigit((unsigned char)name[strlen(PREFIX)]))
        return 0;
    char *end;
    long owner = strtol(name + strlen(PREFIX), &end, 10);
    return *end == '.' && owner > 0 && owner == (pid_t)owner ? (pid_t)owner : 0;
}

/* Whether it is a name of this process, in this namespace. */
static bool judge_name_is_of(const char *name, pid_t judge)
{
    char begin[JUDGE_NAME_BYTES];
    judge_name_begin(judge, begin);
    return strncmp(name, begin, strlen(begin)) == 0;
}

/* ==== cgroup ====================================================================================================== */

/* Killed processes leave a group a moment later. */
enum { REMOVAL_TRIES = 100, REMOVAL_PAUSE_MS = 2 };
enum { MAX_CANDIDATES = 16 };

/* ---- files of a group -------------------------------------------------------------------------------------------- */

static bool write_value(const char *group, const char *name, const char *value)
{
    char path[PATH_MAX];
    int file = (size_t)snprintf(path, sizeof path, "%s/%s", group, name) < sizeof path
                   ? open(path, O_WRONLY | O_CLOEXEC)
                   : -1;
    bool written = file >= 0 && write(file, value, strlen(value)) == (ssize_t)strlen(value);
    if (file >= 0)
        close(file);
    return written;
}

static bool write_number(const char *group, const char *name, unsigned long long number)
{
    char value[32];
    snprintf(value, sizeof value, "%llu", number);
    return write_value(group, name, value);
}

/* Reads the beginning of a file; "" where there is none. */
static void read_value(const char *group, const char *name, char *value, size_t size)
{
    char path[PATH_MAX];
    int file = (size_t)snprintf(path, sizeof path, "%s/%s", group, name) < sizeof path
                   ? open(path, O_RDONLY | O_CLOEXEC)
                   : -1;
    ssize_t length = file < 0 ? 0 : read(file, value, size - 1);
    value[length > 0 ? length : 0] = '\0';
    if (file >= 0)
        close(file);
}

/* ---- one group --------------------------------------------------------------------------------------------------- */

static bool set_limits(const char *group, const CgroupLimits *limits)
{
    bool set = true;
    if (limits->memory_bytes != 0) {
        set = write_number(group, "memory.max", limits->memory_bytes) && write_value(group, "memory.oom.group", "1");
        write_value(group, "memory.swap.max", "0"); /* absent where the kernel does not count swap */
    }
    if (limits->processes != 0)
        set = set && write_number(group, "pids.max", limits->processes);
    return set;
}

bool cgroup_new_in(const char *parent, const CgroupLimits *limits, Cgroup *cgroup)
{
    static unsigned number;
    char begin[JUDGE_NAME_BYTES];
    judge_name_begin(getpid(), begin);
    int length = snprintf(cgroup->path, sizeof cgroup->path, "%s/%s%u", parent, begin, number++);
    if ((size_t)length >= sizeof cgroup->path || (mkdir(cgroup->path, 0755) != 0 && errno != EEXIST))
        cgroup->path[0] = '\0';
    else if (!set_limits(cgroup->path, limits))
        cgroup_remove(cgroup);
    return cgroup->path[0] != '\0';
}

bool cgroup_take(const char *path, pid_t process)
{
    return write_number(path, "cgroup.procs", (unsigned long long)process);
}

bool cgroup_ran_out_of_memory(const Cgroup *cgroup)
{
    char events[1024];
    if (cgroup->path[0] == '\0')
        return false;
    read_value(cgroup->path, "memory.events", events, sizeof events);
    const char *kills = strstr(events, "oom_kill ");
    return kills != NULL && strtoull(kills + strlen("oom_kill "), NULL, 10) > 0;
}

/* False while processes are in it. */
static bool kill_and_remove(const char *path)
{
    write_value(path, "cgroup.kill", "1"); /* Linux 5.14 */
    return rmdir(path) == 0 || errno == ENOENT;
}

void cgroup_remove(Cgroup *cgroup)
{
    if (cgroup->path[0] == '\0')
        return;
    for (int try = 0; !kill_and_remove(cgroup->path) && errno == EBUSY && try < REMOVAL_TRIES; try++)
        nanosleep(&(struct timespec){.tv_nsec = REMOVAL_PAUSE_MS * 1000000l}, NULL);
    cgroup->path[0] = '\0';
}

/* ---- where groups can be made ------------------------------------------------------------------------------------ */

/* Where the hierarchy of version 2 is mounted. */
static bool find_mount(char *path, size_t size)
{
    char line[PATH_MAX + 400];
    bool found = false;
    FILE *mounts = fopen("/proc/self/mountinfo", "re");
    while (mounts != NULL && !found && fgets(line, sizeof line, mounts) != NULL)
        found = strstr(line, " - cgroup2 ") != NULL && sscanf(line, "%*d %*d %*s %*s %4095s", path) == 1;
    if (mounts != NULL)
        fclose(mounts);
    return found && strlen(path) < size;
}

/* The path of this process's group in the hierarchy. */
static bool find_own(char *path, size_t size)
{
    char line[PATH_MAX + 8];
    bool found = false;
    FILE *groups = fopen("/proc/self/cgroup", "re");
    while (groups != NULL && !found && fgets(line, sizeof line, groups) != NULL)
        found = strncmp(line, "0::/", 4) == 0 && strstr(line, "..") == NULL;
    if (groups != NULL)
        fclose(groups);
    line[strcspn(line, "\n")] = '\0';
    return found && (size_t)snprintf(path, size, "%s", line + 3) < size;
}

typedef struct ParentCandidates {
    char paths[MAX_CANDIDATES][PATH_MAX];
    int count;
} ParentCandidates;

/* This process's group and those above it, or the folder that the user names. */
static void list_candidates(ParentCandidates *candidates)
{
    char mount[PATH_MAX], own[PATH_MAX];
    const char *chosen = paths_variable("CONVJUDGE_CGROUP");
    candidates->count = 0;
    if (chosen != NULL) {
        snprintf(candidates->paths[candidates->count++], PATH_MAX, "%s", chosen);
        return;
    }
    if (!find_mount(mount, sizeof mount) || !find_own(own, sizeof own))
        return;
    while (candidates->count < MAX_CANDIDATES) {
        char *path = candidates->paths[candidates->count++];
        if ((size_t)snprintf(path, PATH_MAX, "%s%s", mount, own) >= PATH_MAX || own[0] == '\0')
            return;
        *strrchr(own, '/') = '\0';
    }
}

/* Whether a process can be moved into a new group with limits. */
static bool is_usable(const char *parent)
{
    const CgroupLimits limits = {.memory_bytes = 64 << 20, .processes = 8};
    Cgroup cgroup;
    int status = 1;
    write_value(parent, "cgroup.subtree_control", "+memory +pids"); /* it may have them already, or not be allowed to */
    if (!cgroup_new_in(parent, &limits, &cgroup))
        return false;
    pid_t child = fork();
    if (child == 0)
        _exit(!cgroup_take(cgroup.path, 0)); /* 0: itself */
    bool moved = child > 0 && waitpid(child, &status, 0) == child && status == 0;
    cgroup_remove(&cgroup);
    return moved;
}

/* The group that new ones are made in; NULL: there is none. Looked for once. */
static const char *find_parent(void)
{
    static ParentCandidates candidates;
    static const char *parent;
    static bool looked;
    if (looked)
        return parent;
    looked = true;
    cgroup_sweep(0);
    list_candidates(&candidates);
    for (int i = 0; i < candidates.count && parent == NULL; i++)
        if (is_usable(candidates.paths[i]))
            parent = candidates.paths[i];
    return parent;
}

bool cgroup_new(const CgroupLimits *limits, Cgroup *cgroup)
{
    const char *parent = find_parent();
    cgroup->path[0] = '\0';
    return parent != NULL && cgroup_new_in(parent, limits, cgroup);
}

/* ---- what killed judges left ------------------------------------------------------------------------------------- */

/* Whether the process that made a group is gone. One of another namespace may live, though nobody here has its number. */
static bool is_left(const char *name, pid_t owner)
{
    return judge_name_is_of(name, owner) && kill(owner, 0) != 0 && errno == ESRCH;
}

int cgroup_sweep_in(const char *parent, pid_t judge)
{
    char path[PATH_MAX];
    int left = 0;
    DIR *groups = opendir(parent);
    for (struct dirent *group; groups != NULL && (group = readdir(groups)) != NULL;) {
        const char *name = group->d_name;
        const pid_t owner = judge_name_owner(name);
        if (owner == 0 || !(judge != 0 ? judge_name_is_of(name, judge) : is_left(name, owner)))
            continue;
        if ((size_t)snprintf(path, sizeof path, "%s/%s", parent, name) < sizeof path)
            left += !kill_and_remove(path);
    }
    if (groups != NULL)
        closedir(groups);
    return left;
}

int cgroup_sweep(pid_t judge)
{
    static ParentCandidates candidates;
    int left = 0;
    list_candidates(&candidates);
    for (int i = 0; i < candidates.count; i++)
        left += cgroup_sweep_in(candidates.paths[i], judge);
    return left;
}

/* ==== scratch ===================================================================================================== */

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
    TRY(scratch_guard(why));
    if (mkdtemp(path) == NULL)
        return fail_errno(why, "%s: no temporary folder can be made here; set TMPDIR to a folder where it can", parent);
    return STATUS_OK;
}
