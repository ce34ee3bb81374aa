#include "harness/compile/judge_source.h"

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
