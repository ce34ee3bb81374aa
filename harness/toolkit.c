#include "harness/toolkit.h"

#include "base/text.h"
#include "harness/process.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HOW_TO_GET_ONE "run `make toolchain`, or install the CUDA toolkit and set CUDA_HOME to its folder"

enum { VERSION_SECONDS = 60 };

/* ---- the judge's own files ------------------------------------------------------------------------------------------- */

/* Cuts the last component off; false at the root. */
static bool go_up(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash == NULL || slash == path)
        return false;
    *slash = '\0';
    return true;
}

static bool holds(const char *folder, const char *name)
{
    char path[PATH_MAX];
    return (size_t)snprintf(path, sizeof path, "%s/%s", folder, name) < sizeof path && access(path, F_OK) == 0;
}

static Status folder_of_binary(char *folder, Message *why)
{
    ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);
    if (length <= 0)
        return fail_errno(why, "/proc/self/exe");
    folder[length] = '\0';
    go_up(folder);
    return STATUS_OK;
}

/* The first folder from that of the binary upwards that holds both names. */
static Status folder_with(const char *name, const char *other, char *folder, Message *why)
{
    Status status = folder_of_binary(folder, why);
    if (status != STATUS_OK)
        return status;
    do {
        if (holds(folder, name) && holds(folder, other))
            return STATUS_OK;
    } while (go_up(folder));
    return fail(STATUS_NOT_FOUND, why, "%s: in none of the folders above this program, and CONVJUDGE_HOME is not set", name);
}

static Status join(const char *folder, const char *relative, char *path, size_t size, Message *why)
{
    const char *slash = relative[0] == '\0' ? "" : "/";
    if ((size_t)snprintf(path, size, "%s%s%s", folder, slash, relative) >= size)
        return fail(STATUS_BAD_INPUT, why, "%s: the path of the judge's folder is too long", folder);
    return STATUS_OK;
}

Status home_path(const char *relative, char *path, size_t size, Message *why)
{
    char folder[PATH_MAX];
    const char *home = getenv("CONVJUDGE_HOME");
    if (home != NULL && home[0] != '\0')
        return join(home, relative, path, size, why);
    Status status = folder_with("problems", "simgpu/profiles", folder, why);
    return status == STATUS_OK ? join(folder, relative, path, size, why) : status;
}

Status build_path(const char *relative, char *path, size_t size, Message *why)
{
    char folder[PATH_MAX];
    Status status = folder_with(relative, relative, folder, why);
    return status == STATUS_OK ? join(folder, relative, path, size, why) : status;
}

/* ---- nvcc -------------------------------------------------------------------------------------------------------------- */

/* Takes `path` where it is an nvcc: the root is the folder above its bin, links resolved. */
static bool take(Toolkit *toolkit, const char *path)
{
    char resolved[PATH_MAX];
    if (realpath(path, resolved) == NULL || access(resolved, X_OK) != 0)
        return false;
    snprintf(toolkit->nvcc, sizeof toolkit->nvcc, "%s", resolved);
    snprintf(toolkit->root, sizeof toolkit->root, "%s", resolved);
    return go_up(toolkit->root) && go_up(toolkit->root);
}

static bool take_below(Toolkit *toolkit, const char *folder)
{
    char path[PATH_MAX];
    return folder != NULL && folder[0] == '/' &&
           (size_t)snprintf(path, sizeof path, "%s/bin/nvcc", folder) < sizeof path && take(toolkit, path);
}

static bool take_from_path(Toolkit *toolkit)
{
    const char *folders = getenv("PATH");
    while (folders != NULL && *folders != '\0') {
        char path[PATH_MAX];
        size_t length = strcspn(folders, ":");
        if ((size_t)snprintf(path, sizeof path, "%.*s/nvcc", (int)length, folders) < sizeof path && path[0] == '/' &&
            take(toolkit, path))
            return true;
        folders += length + (folders[length] == ':');
    }
    return false;
}

static bool find(Toolkit *toolkit)
{
    static const char *const usual[] = {"/usr/local/cuda", "/usr/local/cuda-13", "/opt/cuda", "/usr/lib/cuda",
                                        "/usr/lib/nvidia-cuda-toolkit"};
    char own[PATH_MAX];
    if (home_path("build/toolchain", own, sizeof own, NULL) == STATUS_OK && take_below(toolkit, own))
        return true;
    if (take_from_path(toolkit) || take_below(toolkit, getenv("CUDA_HOME")))
        return true;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (take_below(toolkit, usual[i]))
            return true;
    return false;
}

/* "Cuda compilation tools, release 13.0, V13.0.88" */
static Status read_version(Toolkit *toolkit, Message *why)
{
    const char *const argv[] = {toolkit->nvcc, "--version", NULL};
    const char *const environment[] = {"PATH=/usr/bin:/bin", NULL};
    const ProcessSpec spec = {.argv = argv, .environment = environment};
    Text output = {0};
    ProcessEnd end;
    Status status = process_run(&spec, VERSION_SECONDS, 4096, &output, &end, why);
    const char *version = status == STATUS_OK ? strstr(output.data, ", V") : NULL;
    if (status == STATUS_OK && (end.exit_status != 0 || version == NULL ||
                                sscanf(version, ", V%63[0-9.]", toolkit->version) != 1))
        status = fail(STATUS_NOT_FOUND, why, "%s: does not tell its version; %s", toolkit->nvcc, HOW_TO_GET_ONE);
    text_free(&output);
    return status;
}

Status toolkit_find(Toolkit *toolkit, Message *why)
{
    const char *chosen = getenv("CONVJUDGE_NVCC");
    *toolkit = (Toolkit){0};
    if (chosen != NULL && chosen[0] != '\0') {
        if (!take(toolkit, chosen))
            return fail(STATUS_NOT_FOUND, why, "CONVJUDGE_NVCC=%s: no such program", chosen);
    } else if (!find(toolkit)) {
        return fail(STATUS_NOT_FOUND, why, "no nvcc found; %s", HOW_TO_GET_ONE);
    }
    return read_version(toolkit, why);
}
