#include "harness/compile/device_code.h"

#include "base/compile_cache.h"
#include "base/paths.h"
#include "harness/compile/judge_source.h"
#include "harness/sandbox/scratch.h"
#include "harness/compile/toolkit.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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
