#include "harness/compile/host_line.h"

#include "harness/compile/compile_sandbox.h"
#include "harness/sandbox/sandbox.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double WALL_SECONDS = 10;
enum { MAX_OUTPUT = 64 * 1024, CPU_SECONDS = 5 };

/* Of lines such as "/submission/submission.cu:12 (discriminator 2)", innermost first, the first in the submission; 0: none.
 * What the compiler has added belongs to "/submission/submission.cu:?". */
static int first_line(const Text *output)
{
    static const char own[] = COMPILE_SOURCE_NAME ":";
    for (const char *at = output->data; at != NULL && *at != '\0';) {
        size_t length = strcspn(at, "\n");
        const char *name = memrchr(at, '/', length);
        name = name == NULL ? at : name + 1;
        long line = strncmp(name, own, strlen(own)) == 0 ? strtol(name + strlen(own), NULL, 10) : 0;
        if (line > 0)
            return (int)line;
        at += length + (at[length] == '\n');
    }
    return 0;
}

int host_line(const char *object_path, uint64_t offset)
{
    static const char object[] = "/submission/submission.so", *const environment[] = {"LC_ALL=C", NULL};
    char address[32];
    const char *const argv[] = {"/usr/bin/addr2line", "-i", "-e", object, address, NULL};
    const SandboxMount mounts[] = {{object_path, object, false}};
    const SandboxSpec spec = {
        .process = {.argv = argv,
                    .environment = environment,
                    .limits = {.address_space_bytes = 1ul << 30, .file_bytes = MAX_OUTPUT, .cpu_seconds = CPU_SECONDS}},
        .mounts = mounts,
        .mount_count = 1,
        .memory_bytes = 1ul << 30,
        .read_only = true};
    Sandbox *sandbox = NULL;
    ProcessSpec process;
    ProcessEnd end = {0};
    Text output = {0};
    Message why = {0};
    snprintf(address, sizeof address, "0x%llx", (unsigned long long)offset);
    Status status = sandbox_new(&spec, &sandbox, &process, &why);
    if (status == STATUS_OK)
        status = process_run(&process, WALL_SECONDS, MAX_OUTPUT, &output, &end, &why);
    int line = status == STATUS_OK && end.exit_status == 0 ? first_line(&output) : 0;
    sandbox_free(sandbox);
    text_free(&output);
    return line;
}
