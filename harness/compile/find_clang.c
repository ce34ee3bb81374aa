#include "harness/compile/compile_clang.h"
#include "harness/compile/find_program.h"
#include "harness/compile/judge_source.h"
#include "harness/compile/toolkit.h"

#include "base/compile_cache.h"
#include "base/paths.h"

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* clang 16 is the first version that knows compute capability 9.0. */
enum { OLDEST_CLANG = 16, NEWEST_CLANG = 99 };

/* ---- one program ------------------------------------------------------------------------------------------------- */

/* "Debian clang version 16.0.6 (15~deb12u1)" */
static bool read_version(void *context, const char *output)
{
    Toolkit *toolkit = context;
    return program_read_after(output, "clang version ", " \n", toolkit->version, sizeof toolkit->version);
}

static Status ask_clang(Toolkit *toolkit, Message *why)
{
    const char *const version[] = {toolkit->compiler, "--version", NULL};
    const char *const list[] = {toolkit->compiler, "--target=nvptx64-nvidia-cuda", "--print-supported-cpus", NULL};
    Status status = program_ask(version, read_version, toolkit, "its version", HOW_TO_GET_EITHER, why);
    toolkit_set_name(toolkit, "clang");
    if (status == STATUS_OK && toolkit->major < OLDEST_CLANG)
        return fail(STATUS_NOT_FOUND, why, "%s is too old, expected %d or later", toolkit->name, OLDEST_CLANG);
    memcpy(toolkit->root, toolkit->compiler, sizeof toolkit->root);
    dirname(dirname(toolkit->root)); /* root/bin/clang */
    return status == STATUS_OK ? program_ask(list, toolkit_read_architectures, toolkit, "which GPUs it compiles for",
                                             HOW_TO_GET_EITHER, why)
                               : status;
}

/* ---- the probe --------------------------------------------------------------------------------------------------- */

/* Headers of the system, which the probe includes, come with the compiler and change with the system; the time of the
 * C library's says so. */
static Status probe_key(const Toolkit *toolkit, const char *headers, Digest *key, Message *why)
{
    static const char *const changing[] = {NULL, "/usr/include/features.h", "/usr/include/c++"};
    Hash hash;
    hash_begin(&hash);
    hash_add_string(&hash, "convjudge probe of clang 1");
    hash_add_string(&hash, toolkit->compiler);
    hash_add_string(&hash, toolkit->version);
    for (size_t i = 0; i < sizeof changing / sizeof *changing; i++) {
        struct stat info = {0};
        stat(i == 0 ? toolkit->compiler : changing[i], &info);
        hash_add(&hash, &info.st_size, sizeof info.st_size);
        hash_add(&hash, &info.st_mtim, sizeof info.st_mtim);
    }
    Status status = compile_clang_hash_headers(headers, &hash, why);
    *key = hash_end(&hash);
    return status;
}

static Status compile_side(const Toolkit *toolkit, const char *headers, const char *side, Message *why)
{
    enum { MAX_ARGUMENTS = 48 };
    char path[PATH_MAX + 20], cuda_path[PATH_MAX + 20];
    const char *argv[MAX_ARGUMENTS] = {toolkit->compiler, side,    "--cuda-gpu-arch=sm_90",
                                       "-isystem",        headers, cuda_path};
    size_t count = 6;
    snprintf(cuda_path, sizeof cuda_path, "--cuda-path=%s", headers);
    snprintf(path, sizeof path, "%s/probe.cu", headers);
    for (const char *const *flag = COMPILE_CLANG_FLAGS; *flag != NULL; flag++)
        argv[count++] = *flag;
    argv[count++] = "-S";
    argv[count++] = path;
    argv[count++] = "-o";
    argv[count++] = "/dev/null";
    return judge_source_compile(argv, "/tmp", "a small kernel", why);
}

/* Whether clang can compile for the simulated GPU here. Only a success is kept: what fails may be mended. */
static Status probe(const Toolkit *toolkit, Message *why)
{
    static const char compiles[] = "compiles";
    char headers[PATH_MAX];
    Digest key;
    Text kept = {0};
    Message error;
    Status status = paths_home("harness/cuda", headers, sizeof headers, why);
    if (status == STATUS_OK)
        status = probe_key(toolkit, headers, &key, why);
    if (status != STATUS_OK || compile_cache_read(NULL, &key, &kept)) {
        text_free(&kept);
        return status;
    }
    status = compile_side(toolkit, headers, "--cuda-device-only", &error);
    if (status == STATUS_OK)
        status = compile_side(toolkit, headers, "--cuda-host-only", &error);
    if (status != STATUS_OK)
        return fail(STATUS_NOT_FOUND, why, "%s (%s) does not work here: %s", toolkit->name, toolkit->compiler,
                    error.text);
    text_add(&kept, compiles);
    compile_cache_write(NULL, &key, &kept);
    text_free(&kept);
    return STATUS_OK;
}

/* ---- the newest of all ------------------------------------------------------------------------------------------- */

static Status try_clang(const char *name, Toolkit *toolkit, Message *why)
{
    *toolkit = (Toolkit){.kind = TOOLKIT_CLANG};
    if (!program_on_path(name, toolkit->compiler))
        return fail(STATUS_NOT_FOUND, why, "no clang %d or later found", OLDEST_CLANG);
    Status status = ask_clang(toolkit, why);
    return status == STATUS_OK ? probe(toolkit, why) : status;
}

/* Versions by their names, newest first; then "clang", which is the only name where a system has a single version. */
static Status find_newest(Toolkit *toolkit, Message *why)
{
    char name[20];
    Message first = {0}, next;
    for (int version = NEWEST_CLANG; version >= OLDEST_CLANG; version--) {
        snprintf(name, sizeof name, "clang-%d", version);
        if (!program_on_path(name, toolkit->compiler))
            continue;
        if (try_clang(name, toolkit, &next) == STATUS_OK)
            return STATUS_OK;
        if (first.text[0] == '\0')
            first = next;
    }
    Status status = try_clang("clang", toolkit, &next);
    if (status != STATUS_OK)
        fail(status, why, "%s", first.text[0] != '\0' ? first.text : next.text);
    return status;
}

/* Looks once in a process, which may judge hundreds of files. */
Status toolkit_find_clang(Toolkit *toolkit, Message *why)
{
    static bool found;
    static Toolkit answered;
    if (found) {
        *toolkit = answered;
        return STATUS_OK;
    }
    Status status = find_newest(toolkit, why);
    found = status == STATUS_OK;
    answered = *toolkit;
    return status;
}
