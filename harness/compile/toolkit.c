#include "harness/compile/toolkit.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void toolkit_hash(const Toolkit *toolkit, Hash *hash)
{
    static const char *const programs[] = {"bin/nvcc",      "bin/cudafe++",  "bin/ptxas",
                                           "bin/fatbinary", "nvvm/bin/cicc", "bin/clang"};
    hash_add_string(hash, toolkit->name);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        char path[sizeof toolkit->root + 32];
        struct stat info = {0};
        snprintf(path, sizeof path, "%s/%s", toolkit->root, programs[i]);
        if (stat(path, &info) != 0)
            info.st_size = -1;
        hash_add(hash, &info.st_size, sizeof info.st_size);
    }
}

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value != NULL && value[0] != '\0';
}

/* nvcc where there is one that answers, clang otherwise. */
static Status find_any(Toolkit *toolkit, Message *why)
{
    Message no_nvcc, no_clang;
    Status status = toolkit_find_nvcc(toolkit, &no_nvcc);
    if (status == STATUS_OK)
        return STATUS_OK;
    const bool is_there = toolkit->compiler[0] != '\0',
               may_be_clang = status == STATUS_NOT_FOUND && !is_set("CONVJUDGE_NVCC");
    const bool is_clang = may_be_clang && toolkit_find_clang(toolkit, &no_clang) == STATUS_OK;
    if (is_clang && is_there)
        snprintf(toolkit->passed_over, sizeof toolkit->passed_over, "%.*s", (int)sizeof toolkit->passed_over - 1,
                 no_nvcc.text);
    if (is_clang)
        return STATUS_OK;
    if (may_be_clang && !is_there)
        return fail(STATUS_NOT_FOUND, why, "no CUDA compiler found: no nvcc, and %s; " HOW_TO_GET_EITHER,
                    no_clang.text);
    return fail(status, why, "%s", no_nvcc.text);
}

Status toolkit_find(Toolkit *toolkit, Message *why)
{
    if (!is_set("CONVJUDGE_COMPILER"))
        return find_any(toolkit, why);
    const char *chosen = getenv("CONVJUDGE_COMPILER");
    if (strcmp(chosen, "clang") == 0)
        return toolkit_find_clang(toolkit, why);
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

Status toolkit_gencode(const Toolkit *toolkit, int compute, const char *features, char *option, size_t size,
                       Message *why)
{
    int chosen;
    Status status = toolkit_architecture(toolkit, compute, &chosen, why);
    if (status == STATUS_OK)
        snprintf(option, size, "arch=compute_%d%s,code=[sm_%d%s,compute_%d%s]", chosen, features, chosen, features,
                 chosen, features);
    return status;
}
