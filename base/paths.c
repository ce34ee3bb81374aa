#include "base/paths.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* ==== file system ================================================================================================= */

/* Numbers of linux/magic.h and of the file systems' own headers. */
static const struct {
    uint32_t magic;
    const char *name;
} network_file_systems[] = {
    {0x6969, "NFS"},        {0xff534d42, "CIFS"},  {0xfe534d42, "SMB2"}, {0x517b, "SMB"},    {0x00c36400, "Ceph"},
    {0x0bd00bd0, "Lustre"}, {0x47504653, "GPFS"},  {0x5346414f, "AFS"},  {0x01021997, "9P"}, {0x65735546, "FUSE"},
    {0x19830326, "BeeGFS"}, {0x7461636f, "OCFS2"}, {0x01161970, "GFS2"},
};

Status file_system_network(const char *path, const char **network, Message *why)
{
    struct statfs info;
    *network = NULL;
    if (statfs(path, &info) != 0)
        return fail_errno(why, "%s", path);
    for (size_t i = 0; i < sizeof network_file_systems / sizeof *network_file_systems; i++)
        if ((uint32_t)info.f_type == network_file_systems[i].magic)
            *network = network_file_systems[i].name;
    return STATUS_OK;
}

/* ==== paths ======================================================================================================= */

/* Cuts the last component off; false at the root. */
static bool go_up(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash == NULL || slash == path)
        return false;
    *slash = '\0';
    return true;
}

static bool holds_file(const char *folder, const char *name)
{
    char path[PATH_MAX];
    return (size_t)snprintf(path, sizeof path, "%s/%s", folder, name) < sizeof path && access(path, F_OK) == 0;
}

static Status folder_of_program(char *folder, Message *why)
{
    ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);
    if (length <= 0)
        return fail_errno(why, "/proc/self/exe");
    folder[length] = '\0';
    go_up(folder);
    return STATUS_OK;
}

/* The nearest folder above the running program that holds both names, or whose `below` does. */
static Status folder_with(const char *name, const char *other, const char *below, char *folder, Message *why)
{
    TRY(folder_of_program(folder, why));
    do {
        const size_t length = strlen(folder);
        if (holds_file(folder, name) && holds_file(folder, other))
            return STATUS_OK;
        if (length + strlen(below) < PATH_MAX) {
            strcpy(folder + length, below);
            if (holds_file(folder, name) && holds_file(folder, other))
                return STATUS_OK;
            folder[length] = '\0';
        }
    } while (go_up(folder));
    return fail(STATUS_NOT_FOUND, why, "%s: in none of the folders above this program, and CONVJUDGE_HOME is not set",
                name);
}

const char *paths_variable(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

static Status join_path(const char *folder, const char *relative, char *path, size_t size, Message *why)
{
    const char *slash = relative[0] == '\0' ? "" : "/";
    if ((size_t)snprintf(path, size, "%s%s%s", folder, slash, relative) >= size)
        return fail(STATUS_BAD_INPUT, why, "%.100s...: the path of the judge's folder is too long", folder);
    return STATUS_OK;
}

Status paths_home(const char *relative, char *path, size_t size, Message *why)
{
    char folder[PATH_MAX];
    const char *home = paths_variable("CONVJUDGE_HOME");
    if (home != NULL)
        return join_path(home, relative, path, size, why);
    TRY(folder_with("problems", "simgpu/profiles", "/share/convjudge", folder, why));
    return join_path(folder, relative, path, size, why);
}

Status paths_problem(const char *relative, char *path, size_t size, Message *why)
{
    const char *folder = paths_variable("CONVJUDGE_PROBLEMS");
    if (folder != NULL)
        return join_path(folder, relative, path, size, why);
    return paths_home(relative, path, size, why);
}

Status paths_build(const char *relative, char *path, size_t size, Message *why)
{
    char folder[PATH_MAX];
    TRY(folder_with(relative, relative, "", folder, why));
    return join_path(folder, relative, path, size, why);
}

Status paths_chosen(const char *variable, const char *relative, char *path, size_t size, Message *why)
{
    const char *chosen = paths_variable(variable);
    if (chosen == NULL)
        return paths_home(relative, path, size, why);
    if ((size_t)snprintf(path, size, "%s", chosen) >= size)
        return fail(STATUS_BAD_INPUT, why, "%s: the path is too long", variable);
    return STATUS_OK;
}

Status paths_cache(char *path, size_t size, Message *why)
{
    static const char *const places[][2] = {
        {"CONVJUDGE_CACHE", ""}, {"XDG_CACHE_HOME", "/convjudge"}, {"HOME", "/.cache/convjudge"}};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const char *folder = paths_variable(places[i][0]);
        if (folder == NULL || (i > 0 && folder[0] != '/')) /* XDG: a relative path is ignored */
            continue;
        if ((size_t)snprintf(path, size, "%s%s", folder, places[i][1]) >= size)
            return fail(STATUS_BAD_INPUT, why, "%s: the path is too long", places[i][0]);
        return STATUS_OK;
    }
    return paths_home("build/cache", path, size, why);
}

Status paths_make_cache(char *path, size_t size, Message *why)
{
    TRY(paths_cache(path, size, why));
    for (char *slash = path; (slash = strchr(slash + 1, '/')) != NULL;) {
        *slash = '\0';
        mkdir(path, 0700); /* it may exist */
        *slash = '/';
    }
    mkdir(path, 0700);
    return STATUS_OK;
}
