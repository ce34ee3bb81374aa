#include "harness/compile/toolkit.h"

#include "base/paths.h"
#include "base/text.h"
#include "harness/sandbox/process.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HOW_TO_GET_NVCC "run `make toolchain`, or install the CUDA toolkit and set CUDA_HOME to its folder"
#define HOW_TO_GET_EITHER HOW_TO_GET_NVCC "; for the simulated GPU, clang 16 or later is enough"

/* clang 16 is the first version that knows compute capability 9.0; the judge's headers were tested with it. */
enum { ANSWER_SECONDS = 60, OLDEST_CLANG = 16, NEWEST_CLANG = 29 };

/* ---- nvcc -------------------------------------------------------------------------------------------------------- */

/* Takes `path` if it is a program. nvcc itself reports later where its toolkit is, as `path` may be a script that calls
 * nvcc. */
static bool take_program(Toolkit *toolkit, const char *path)
{
    return access(path, X_OK) == 0 && realpath(path, toolkit->compiler) != NULL;
}

static bool take_nvcc_of(Toolkit *toolkit, const char *folder)
{
    char path[PATH_MAX];
    return folder != NULL && folder[0] == '/' &&
           (size_t)snprintf(path, sizeof path, "%s/bin/nvcc", folder) < sizeof path && take_program(toolkit, path);
}

static bool take_from_path(Toolkit *toolkit, const char *name)
{
    const char *folders = getenv("PATH");
    while (folders != NULL && *folders != '\0') {
        char path[PATH_MAX];
        size_t length = strcspn(folders, ":");
        if ((size_t)snprintf(path, sizeof path, "%.*s/%s", (int)length, folders, name) < sizeof path &&
            path[0] == '/' && take_program(toolkit, path))
            return true;
        folders += length + (folders[length] == ':');
    }
    return false;
}

static bool find_nvcc(Toolkit *toolkit)
{
    static const char *const usual[] = {"/usr/local/cuda", "/usr/local/cuda-13", "/opt/cuda", "/usr/lib/cuda",
                                        "/usr/lib/nvidia-cuda-toolkit"};
    char own[PATH_MAX];
    if (paths_home("build/toolchain", own, sizeof own, NULL) == STATUS_OK && take_nvcc_of(toolkit, own))
        return true;
    if (take_from_path(toolkit, "nvcc") || take_nvcc_of(toolkit, getenv("CUDA_HOME")))
        return true;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (take_nvcc_of(toolkit, usual[i]))
            return true;
    return false;
}

/* Copies the word that follows `name` in the output of nvcc; false if there is none. */
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
    return (size_t)snprintf(toolkit->compiler, sizeof toolkit->compiler, "%s/bin/nvcc", toolkit->root) <
               sizeof toolkit->compiler &&
           access(toolkit->compiler, X_OK) == 0;
}

/* Reads a list such as "sm_90", one on each line, in any order. */
static bool read_architectures(Toolkit *toolkit, const char *output)
{
    for (const char *found = output; (found = strstr(found, "sm_")) != NULL; found += 3)
        if (toolkit->architecture_count < TOOLKIT_MAX_ARCHITECTURES && atoi(found + 3) > 0)
            toolkit->architectures[toolkit->architecture_count++] = atoi(found + 3);
    return toolkit->architecture_count > 0;
}

static Status ask_compiler(Toolkit *toolkit, const char *const *argv, bool read(Toolkit *, const char *),
                           const char *what, Message *why)
{
    const char *const environment[] = {"PATH=/usr/bin:/bin", NULL};
    const ProcessSpec spec = {.argv = argv, .environment = environment};
    Text output = {0};
    ProcessEnd end;
    Status status = process_run(&spec, ANSWER_SECONDS, 64 << 10, &output, &end, why);
    if (status == STATUS_OK && (end.exit_status != 0 || output.data == NULL || !read(toolkit, output.data)))
        status = fail(STATUS_NOT_FOUND, why, "%s: does not report %s; %s", argv[0], what,
                      toolkit->kind == TOOLKIT_NVCC ? HOW_TO_GET_NVCC : HOW_TO_GET_EITHER);
    text_free(&output);
    return status;
}

static void set_name(Toolkit *toolkit, const char *compiler)
{
    snprintf(toolkit->name, sizeof toolkit->name, "%s %s", compiler, toolkit->version);
    toolkit->major = atoi(toolkit->version);
}

/* Asks once in a process, which may judge hundreds of files; the answers take 50 ms. */
static Status ask_nvcc(Toolkit *toolkit, Message *why)
{
    static char asked[PATH_MAX];
    static Toolkit answered;
    if (strcmp(asked, toolkit->compiler) == 0) {
        *toolkit = answered;
        return STATUS_OK;
    }
    memcpy(asked, toolkit->compiler, sizeof asked);
    const char *const dry_run[] = {asked, "--dryrun", "-E", "-x", "cu", "/dev/null", NULL};
    const char *const list[] = {toolkit->compiler, "--list-gpu-code", NULL};
    Status status = ask_compiler(toolkit, dry_run, read_dry_run, "its toolkit's folder and version", why);
    if (status == STATUS_OK)
        status = ask_compiler(toolkit, list, read_architectures, "which GPUs it compiles for", why);
    set_name(toolkit, "nvcc");
    if (status == STATUS_OK)
        answered = *toolkit;
    else
        asked[0] = '\0';
    return status;
}

Status toolkit_find_nvcc(Toolkit *toolkit, Message *why)
{
    const char *chosen = getenv("CONVJUDGE_NVCC");
    *toolkit = (Toolkit){.kind = TOOLKIT_NVCC};
    if (chosen != NULL && chosen[0] != '\0') {
        if (!take_program(toolkit, chosen))
            return fail(STATUS_NOT_FOUND, why, "CONVJUDGE_NVCC=%s: no such program", chosen);
    } else if (!find_nvcc(toolkit)) {
        return fail(STATUS_NOT_FOUND, why, "no nvcc found; " HOW_TO_GET_NVCC);
    }
    return ask_nvcc(toolkit, why);
}

/* ---- clang ------------------------------------------------------------------------------------------------------- */

/* Tries "clang-16" and later versions, then "clang" of any version. */
static bool find_clang(Toolkit *toolkit)
{
    for (int version = OLDEST_CLANG; version <= NEWEST_CLANG; version++) {
        char program[20];
        snprintf(program, sizeof program, "clang-%d", version);
        if (take_from_path(toolkit, program))
            return true;
    }
    return take_from_path(toolkit, "clang");
}

/* "Debian clang version 16.0.6 (15~deb12u1)" */
static bool read_clang_version(Toolkit *toolkit, const char *output)
{
    return read_word(output, "clang version ", toolkit->version, sizeof toolkit->version);
}

static Status find_and_ask_clang(Toolkit *toolkit, Message *why)
{
    *toolkit = (Toolkit){.kind = TOOLKIT_CLANG};
    if (!find_clang(toolkit))
        return fail(STATUS_NOT_FOUND, why, "no clang found; install the package clang-%d, or a later one",
                    OLDEST_CLANG);
    const char *const version[] = {toolkit->compiler, "--version", NULL};
    const char *const list[] = {toolkit->compiler, "--target=nvptx64-nvidia-cuda", "--print-supported-cpus", NULL};
    Status status = ask_compiler(toolkit, version, read_clang_version, "its version", why);
    set_name(toolkit, "clang");
    if (status == STATUS_OK && toolkit->major < OLDEST_CLANG)
        return fail(STATUS_NOT_FOUND, why, "%s is too old; " HOW_TO_GET_EITHER, toolkit->name);
    memcpy(toolkit->root, toolkit->compiler, sizeof toolkit->root);
    dirname(dirname(toolkit->root)); /* root/bin/clang */
    return status == STATUS_OK ? ask_compiler(toolkit, list, read_architectures, "which GPUs it compiles for", why)
                               : status;
}

Status toolkit_find(Toolkit *toolkit, Message *why)
{
    const char *chosen = getenv("CONVJUDGE_COMPILER");
    if (chosen == NULL || chosen[0] == '\0') {
        Status status = toolkit_find_nvcc(toolkit, why);
        const char *nvcc = getenv("CONVJUDGE_NVCC");
        if (status != STATUS_NOT_FOUND || (nvcc != NULL && nvcc[0] != '\0'))
            return status;
        return find_and_ask_clang(toolkit, NULL) == STATUS_OK
                   ? STATUS_OK
                   : fail(STATUS_NOT_FOUND, why, "no CUDA compiler found; " HOW_TO_GET_EITHER);
    }
    if (strcmp(chosen, "clang") == 0)
        return find_and_ask_clang(toolkit, why);
    if (strcmp(chosen, "nvcc") == 0)
        return toolkit_find_nvcc(toolkit, why);
    return fail(STATUS_BAD_INPUT, why, "CONVJUDGE_COMPILER=%s: expected nvcc or clang", chosen);
}

/* ---- what it makes ----------------------------------------------------------------------------------------------- */

void toolkit_mark_times(const Toolkit *toolkit, char *device_id, size_t size)
{
    size_t length = strlen(device_id);
    if (toolkit->kind == TOOLKIT_CLANG)
        snprintf(device_id + length, size - length, "-clang");
}

Status toolkit_architecture(const Toolkit *toolkit, int compute, int *architecture, Message *why)
{
    *architecture = 0;
    for (size_t i = 0; i < toolkit->architecture_count; i++)
        if (toolkit->architectures[i] <= compute && toolkit->architectures[i] > *architecture)
            *architecture = toolkit->architectures[i];
    if (*architecture == 0)
        return fail(STATUS_UNSUPPORTED, why, "a GPU of compute capability %d.%d is older than all that %s compiles for",
                    compute / 10, compute % 10, toolkit->name);
    return STATUS_OK;
}

Status toolkit_gencode(const Toolkit *toolkit, int compute, char *option, size_t size, Message *why)
{
    int chosen;
    Status status = toolkit_architecture(toolkit, compute, &chosen, why);
    if (status == STATUS_OK)
        snprintf(option, size, "arch=compute_%d,code=[sm_%d,compute_%d]", chosen, chosen, chosen);
    return status;
}
