#include "harness/toolkit.h"

#include "base/text.h"
#include "harness/process.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HOW_TO_GET_ONE "run `make toolchain`, or install the CUDA toolkit and set CUDA_HOME to its folder"

enum { ANSWER_SECONDS = 60 };

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

/* Takes `path` where it is a program. Where the toolkit lies is nvcc's to say: `path` may be a script that calls it. */
static bool take(Toolkit *toolkit, const char *path)
{
    return access(path, X_OK) == 0 && realpath(path, toolkit->nvcc) != NULL;
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

/* The value behind `name` in what nvcc printed, up to the end of the word; false where it is not there. */
static bool read_word(const char *output, const char *name, char *value, size_t size)
{
    const char *found = strstr(output, name);
    if (found == NULL)
        return false;
    found += strlen(name);
    int length = (int)strcspn(found, " \n");
    return length > 0 && snprintf(value, size, "%.*s", length, found) < (int)size;
}

/* Reads what a dry run shows: "#$ TOP=/usr/local/cuda/bin/.." and "-D__CUDACC_VER_MAJOR__=13", MINOR and BUILD. */
static bool read_dry_run(Toolkit *toolkit, const char *output)
{
    char top[PATH_MAX], major[16], minor[16], build[16];
    if (!read_word(output, "#$ TOP=", top, sizeof top) || realpath(top, toolkit->root) == NULL ||
        !read_word(output, "__CUDACC_VER_MAJOR__=", major, sizeof major) ||
        !read_word(output, "__CUDACC_VER_MINOR__=", minor, sizeof minor) ||
        !read_word(output, "__CUDACC_VER_BUILD__=", build, sizeof build))
        return false;
    snprintf(toolkit->version, sizeof toolkit->version, "%s.%s.%s", major, minor, build);
    return (size_t)snprintf(toolkit->nvcc, sizeof toolkit->nvcc, "%s/bin/nvcc", toolkit->root) < sizeof toolkit->nvcc &&
           access(toolkit->nvcc, X_OK) == 0;
}

/* One a line, ascending or not: "sm_90". */
static bool read_architectures(Toolkit *toolkit, const char *output)
{
    for (const char *found = output; (found = strstr(found, "sm_")) != NULL; found += 3)
        if (toolkit->architecture_count < TOOLKIT_MAX_ARCHITECTURES && atoi(found + 3) > 0)
            toolkit->architectures[toolkit->architecture_count++] = atoi(found + 3);
    return toolkit->architecture_count > 0;
}

static Status ask(Toolkit *toolkit, const char *const *argv, bool read(Toolkit *, const char *), const char *what,
                  Message *why)
{
    const char *const environment[] = {"PATH=/usr/bin:/bin", NULL};
    const ProcessSpec spec = {.argv = argv, .environment = environment};
    Text output = {0};
    ProcessEnd end;
    Status status = process_run(&spec, ANSWER_SECONDS, 64 << 10, &output, &end, why);
    if (status == STATUS_OK && (end.exit_status != 0 || output.data == NULL || !read(toolkit, output.data)))
        status = fail(STATUS_NOT_FOUND, why, "%s: does not tell %s; %s", argv[0], what, HOW_TO_GET_ONE);
    text_free(&output);
    return status;
}

static Status ask_all(Toolkit *toolkit, Message *why)
{
    char asked[PATH_MAX];
    memcpy(asked, toolkit->nvcc, sizeof asked);
    const char *const dry_run[] = {asked, "--dryrun", "-E", "-x", "cu", "/dev/null", NULL};
    const char *const list[] = {toolkit->nvcc, "--list-gpu-code", NULL};
    Status status = ask(toolkit, dry_run, read_dry_run, "where its toolkit is and of which version", why);
    return status == STATUS_OK ? ask(toolkit, list, read_architectures, "what it makes code for", why) : status;
}

Status toolkit_gencode(const Toolkit *toolkit, int compute, int *architecture, char *option, size_t size, Message *why)
{
    *architecture = 0;
    for (size_t i = 0; i < toolkit->architecture_count; i++)
        if (toolkit->architectures[i] <= compute && toolkit->architectures[i] > *architecture)
            *architecture = toolkit->architectures[i];
    if (*architecture == 0)
        return fail(STATUS_UNSUPPORTED, why, "a GPU of compute capability %d.%d is older than nvcc %s makes code for",
                    compute / 10, compute % 10, toolkit->version);
    snprintf(option, size, "arch=compute_%d,code=[sm_%d,compute_%d]", *architecture, *architecture, *architecture);
    return STATUS_OK;
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
    return ask_all(toolkit, why);
}
