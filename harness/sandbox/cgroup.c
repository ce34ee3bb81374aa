#include "harness/sandbox/cgroup.h"

#include "harness/sandbox/judge_name.h"

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
    const char *chosen = getenv("CONVJUDGE_CGROUP");
    candidates->count = 0;
    if (chosen != NULL && chosen[0] != '\0') {
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
