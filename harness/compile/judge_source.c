#include "harness/compile/judge_source.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    TRY(process_run(&spec, COMPILE_SECONDS, MAX_OUTPUT_BYTES, output, end, why));
    if (end->timed_out)
        return fail(STATUS_SYSTEM, why, "the compiler did not end within %d seconds", COMPILE_SECONDS);
    return STATUS_OK;
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

/* ==== the judge's CUDA headers, for clang ========================================================================= */

/* Installed NVIDIA software is neither used nor warned about. The version of the SDK decides how kernels are launched:
 * from 9.2 on through __cudaPushCallConfiguration(). __CUDACC__ is what headers ask to know a CUDA compiler, those of
 * glibc among them, which keep __float128 from it. */
const char *const COMPILE_CLANG_FLAGS[CLANG_FLAGS + 1] = {
    "-x",
    "cuda",
    "-O3",
    "-fPIC",
    "-nocudainc",
    "-nocudalib",
    "-Wno-unknown-cuda-version",
    "-Wno-unused-command-line-argument",
    "-D__CUDACC__",
    "--cuda-feature=+ptx78",
    "-Xclang",
    "-target-sdk-version=11.8",
    "-include",
    "cuda_runtime.h",
    NULL,
};

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static Status hash_folder(const char *folder, Hash *hash, Message *why)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_visible, alphasort);
    if (count < 0)
        return fail_errno(why, "%s", folder);
    Status status = STATUS_OK;
    for (int i = 0; i < count; i++) {
        char path[PATH_MAX + 256];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        THEN(status, entries[i]->d_type == DT_DIR ? hash_folder(path, hash, why) : judge_source_hash(hash, path, why));
        free(entries[i]);
    }
    free(entries);
    return status;
}

Status compile_clang_hash_headers(const char *headers, Hash *hash, Message *why)
{
    hash_add_strings(hash, COMPILE_CLANG_FLAGS);
    return hash_folder(headers, hash, why);
}
