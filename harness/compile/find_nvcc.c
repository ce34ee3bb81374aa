#include "harness/compile/find_program.h"
#include "harness/compile/toolkit.h"

#include "base/paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* nvcc itself reports later where its toolkit is, as the program may be a script that calls nvcc. */
static bool take_nvcc_of(Toolkit *toolkit, const char *folder)
{
    char path[PATH_MAX];
    return folder != NULL && folder[0] == '/' &&
           (size_t)snprintf(path, sizeof path, "%s/bin/nvcc", folder) < sizeof path &&
           program_at(path, toolkit->compiler);
}

static bool find_nvcc(Toolkit *toolkit)
{
    static const char *const usual[] = {"/usr/local/cuda", "/usr/local/cuda-13", "/opt/cuda", "/usr/lib/cuda",
                                        "/usr/lib/nvidia-cuda-toolkit"};
    char own[PATH_MAX];
    if (paths_build("toolchain", own, sizeof own, NULL) == STATUS_OK && take_nvcc_of(toolkit, own))
        return true;
    if (program_on_path("nvcc", toolkit->compiler) || take_nvcc_of(toolkit, getenv("CUDA_HOME")))
        return true;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (take_nvcc_of(toolkit, usual[i]))
            return true;
    return false;
}

/* Reads what a dry run shows: "#$ TOP=/usr/local/cuda/bin/.." and "-D__CUDACC_VER_MAJOR__=13", MINOR and BUILD. */
static bool read_dry_run(void *context, const char *output)
{
    Toolkit *toolkit = context;
    char top[PATH_MAX], major[16], minor[16], build[16];
    if (!program_read_after(output, "#$ TOP=", "\n", top, sizeof top) || realpath(top, toolkit->root) == NULL ||
        !program_read_after(output, "__CUDACC_VER_MAJOR__=", " \n", major, sizeof major) ||
        !program_read_after(output, "__CUDACC_VER_MINOR__=", " \n", minor, sizeof minor) ||
        !program_read_after(output, "__CUDACC_VER_BUILD__=", " \n", build, sizeof build))
        return false;
    snprintf(toolkit->version, sizeof toolkit->version, "%s.%s.%s", major, minor, build);
    return (size_t)snprintf(toolkit->compiler, sizeof toolkit->compiler, "%s/bin/nvcc", toolkit->root) <
               sizeof toolkit->compiler &&
           access(toolkit->compiler, X_OK) == 0;
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
    Status status = program_ask(dry_run, read_dry_run, toolkit, "its toolkit's folder and version", HOW_TO_GET_NVCC,
                                why);
    if (status == STATUS_OK)
        status = program_ask(list, toolkit_read_architectures, toolkit, "which GPUs it compiles for", HOW_TO_GET_NVCC,
                             why);
    toolkit_set_name(toolkit, "nvcc");
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
        if (!program_at(chosen, toolkit->compiler))
            return fail(STATUS_NOT_FOUND, why, "CONVJUDGE_NVCC=%s: no such program", chosen);
    } else if (!find_nvcc(toolkit)) {
        return fail(STATUS_NOT_FOUND, why, "no nvcc found; " HOW_TO_GET_NVCC);
    }
    return ask_nvcc(toolkit, why);
}
