#include "harness/compile/toolkit.h"

#include "base/compile_cache.h"
#include "base/paths.h"
#include "harness/sandbox/scratch.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ==== judge source ================================================================================================ */

enum { MAX_SOURCE_BYTES = 1 << 20, MAX_OUTPUT_BYTES = 64 << 10, COMPILE_SECONDS = 120 };

Status judge_source_hash(Hash *hash, const char *path, Message *why)
{
    Text text = {0};
    Status status = text_read_file(path, MAX_SOURCE_BYTES, &text, why);
    if (status == STATUS_OK)
        hash_add(hash, text.data, text.length);
    text_free(&text);
    return status;
}

Status judge_source_run(const char *const *argv, const char *folder, Text *output, ProcessEnd *end, Message *why)
{
    char search[PATH_MAX], temporary[PATH_MAX];
    const char *path = getenv("PATH");
    snprintf(search, sizeof search, "PATH=%s", path == NULL ? "/usr/local/bin:/usr/bin:/bin" : path);
    snprintf(temporary, sizeof temporary, "TMPDIR=%s", folder);
    const char *const environment[] = {search, temporary, "LC_ALL=C", NULL};
    const ProcessSpec spec = {.argv = argv,
                              .environment = environment,
                              .output = -1,
                              .own_processes = true, /* a compiler is a driver and what that starts */
                              .may_share_processes = true};
    Status status = process_run(&spec, COMPILE_SECONDS, MAX_OUTPUT_BYTES, output, end, why);
    if (status == STATUS_OK && end->timed_out)
        return fail(STATUS_SYSTEM, why, "the compiler did not end within %d seconds", COMPILE_SECONDS);
    return status;
}

static Status compile_error(const Text *output, const char *source, Message *why)
{
    Text shown = {0};
    const char *line = output->length > 0 ? output->data : "";
    const char *error = strstr(line, "error:");
    error = error != NULL ? error : strstr(line, "error"); /* "ptxas error   : ..." */
    while (error != NULL && error > output->data && error[-1] != '\n')
        error--;
    line = error != NULL ? error : line;
    text_add_printable(&shown, line, strcspn(line, "\n"));
    Status status = fail(STATUS_BAD_INPUT, why, "%s does not compile: %s", source,
                         shown.length > 0 ? shown.data : "no reason");
    text_free(&shown);
    return status;
}

Status judge_source_compile(const char *const *argv, const char *folder, const char *source, Message *why)
{
    Text output = {0};
    ProcessEnd end;
    Status status = judge_source_run(argv, folder, &output, &end, why);
    if (status == STATUS_OK && end.exit_status != 0)
        status = compile_error(&output, source, why);
    text_free(&output);
    return status;
}

/* ==== toolkit ===================================================================================================== */

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

/* nvcc where there is one that answers, clang otherwise. */
static Status find_any(Toolkit *toolkit, Message *why)
{
    Message no_nvcc, no_clang;
    Status status = toolkit_find_nvcc(toolkit, &no_nvcc);
    if (status == STATUS_OK)
        return STATUS_OK;
    const bool is_there = toolkit->compiler[0] != '\0',
               may_be_clang = status == STATUS_NOT_FOUND && paths_variable("CONVJUDGE_NVCC") == NULL;
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
    const char *chosen = paths_variable("CONVJUDGE_COMPILER");
    if (chosen == NULL)
        return find_any(toolkit, why);
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

/* ==== device code ================================================================================================= */

enum { MAX_IMAGE_BYTES = 64 << 20, MAX_ARGUMENTS = 64 };

static const char *const flags[] = {"-fatbin", "-O3", "-std=c++20", "--no-compress", NULL};

static const char *const empty_list[] = {NULL};

static const char *const *or_empty_list(const char *const *strings)
{
    return strings != NULL ? strings : empty_list;
}

/* ---- the cache --------------------------------------------------------------------------------------------------- */

static Status cache_key(const DeviceCodeJob *job, const Toolkit *toolkit, Digest *key, Message *why)
{
    Hash hash;
    hash_begin(&hash);
    hash_add_string(&hash, "convjudge device code 4"); /* raise it when an entry's meaning changes */
    toolkit_hash(toolkit, &hash);
    hash_add_strings(&hash, flags);
    hash_add_strings(&hash, or_empty_list(job->options));
    hash_add(&hash, &job->compute, sizeof job->compute);
    hash_add_string(&hash, job->with_features ? "a" : "");
    hash_add_string(&hash, job->include != NULL ? job->include : "");
    Status status = judge_source_hash(&hash, job->source, why);
    for (const char *const *input = or_empty_list(job->inputs); *input != NULL && status == STATUS_OK; input++)
        status = judge_source_hash(&hash, *input, why);
    *key = hash_end(&hash);
    return status;
}

/* ---- compiling --------------------------------------------------------------------------------------------------- */

static Status run_nvcc(const DeviceCodeJob *job, const Toolkit *toolkit, const char *folder, const char *image,
                       Message *why)
{
    char home[PATH_MAX], architecture[80];
    const char *argv[MAX_ARGUMENTS] = {
        toolkit->compiler, "-gencode", architecture, "-I", home, "-I", folder, "-o", image};
    size_t count = 9;
    Status status = paths_home("", home, sizeof home, why);
    if (status != STATUS_OK)
        return status;
    status = toolkit_gencode(toolkit, job->compute, job->with_features ? "a" : "", architecture, sizeof architecture,
                             why);
    if (status != STATUS_OK)
        return status;
    for (const char *const *flag = flags; *flag != NULL; flag++)
        argv[count++] = *flag;
    for (const char *const *option = or_empty_list(job->options); *option != NULL; option++) {
        if (count >= MAX_ARGUMENTS - 2)
            return fail(STATUS_BAD_INPUT, why, "%s: too many options for the compiler", job->source);
        argv[count++] = *option;
    }
    argv[count] = job->source;
    return judge_source_compile(argv, folder, job->source, why);
}

static Status write_include(const char *folder, const char *content, Message *why)
{
    char path[PATH_MAX];
    Text text = {0};
    snprintf(path, sizeof path, "%s/generated.h", folder);
    text_add(&text, content);
    Status status = text_write_file(path, &text, why);
    text_free(&text);
    return status;
}

static Status compile_kernels(const DeviceCodeJob *job, const Toolkit *toolkit, Text *image, Message *why)
{
    char folder[PATH_MAX - 20], path[PATH_MAX];
    Status status = scratch_new(folder, sizeof folder, why);
    if (status != STATUS_OK)
        return status;
    snprintf(path, sizeof path, "%s/code.fatbin", folder);
    if (job->include != NULL)
        status = write_include(folder, job->include, why);
    if (status == STATUS_OK)
        status = run_nvcc(job, toolkit, folder, path, why);
    if (status == STATUS_OK)
        status = text_read_file(path, MAX_IMAGE_BYTES, image, why);
    scratch_remove(folder);
    return status;
}

Status device_code_build(const DeviceCodeJob *job, Text *image, Message *why)
{
    Toolkit toolkit;
    Digest key;
    Status status = toolkit_find_nvcc(&toolkit, why);
    if (status == STATUS_OK)
        status = cache_key(job, &toolkit, &key, why);
    if (status != STATUS_OK || compile_cache_read(NULL, &key, image))
        return status;
    status = compile_kernels(job, &toolkit, image, why);
    if (status == STATUS_OK)
        compile_cache_write(NULL, &key, image);
    return status;
}
