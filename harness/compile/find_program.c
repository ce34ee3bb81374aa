#include "harness/compile/find_program.h"

#include "base/text.h"
#include "harness/sandbox/process.h"
#include "harness/sandbox/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ANSWER_SECONDS = 60, ANSWER_BYTES = 64 << 10 };

/* A compiler that somebody kills, such as the kernel for want of memory, is asked again: to take another one in its place would
 * change the code of a submission, and its times. An exit status above KILLED is a signal's (ProcessEnd). */
enum { TRIES = 3, KILLED = 128 };

bool program_at(const char *path, char program[PATH_MAX])
{
    return access(path, X_OK) == 0 && realpath(path, program) != NULL;
}

bool program_on_path(const char *name, char program[PATH_MAX])
{
    const char *folders = getenv("PATH");
    while (folders != NULL && *folders != '\0') {
        char path[PATH_MAX];
        size_t length = strcspn(folders, ":");
        if ((size_t)snprintf(path, sizeof path, "%.*s/%s", (int)length, folders, name) < sizeof path &&
            path[0] == '/' && program_at(path, program))
            return true;
        folders += length + (folders[length] == ':');
    }
    return false;
}

static bool was_killed(const ProcessEnd *end)
{
    return end->exit_status > KILLED && !end->timed_out;
}

static Status ask(const char *const *argv, const char *folder, Text *output, ProcessEnd *end, Message *why)
{
    char temporary[PATH_MAX + 8];
    snprintf(temporary, sizeof temporary, "TMPDIR=%s", folder);
    const char *const environment[] = {"PATH=/usr/bin:/bin", temporary, NULL};
    const ProcessSpec spec = {
        .argv = argv, .environment = environment, .own_processes = true, .may_share_processes = true};
    Status status = STATUS_OK;
    for (int try = 0; try < TRIES && status == STATUS_OK && was_killed(end); try++) {
        text_free(output);
        status = process_run(&spec, ANSWER_SECONDS, ANSWER_BYTES, output, end, why);
    }
    return status;
}

/* nvcc names temporary files by its process id, which is the same in each namespace, so each needs a folder of its own. */
Status program_ask(const char *const *argv, ProgramAnswer *read, void *context, const char *what, const char *advice,
                   Message *why)
{
    char folder[PATH_MAX];
    Text output = {0};
    ProcessEnd end = {.exit_status = KILLED + 1};
    Status status = scratch_new(folder, sizeof folder, why);
    if (status != STATUS_OK)
        return status;
    status = ask(argv, folder, &output, &end, why);
    if (status == STATUS_OK && was_killed(&end))
        status = fail(STATUS_SYSTEM, why, "%s: was killed by signal %d before it could report %s", argv[0],
                      end.exit_status - KILLED, what);
    else if (status == STATUS_OK && (end.exit_status != 0 || output.data == NULL || !read(context, output.data)))
        status = fail(STATUS_NOT_FOUND, why, "%s: does not report %s; %s", argv[0], what, advice);
    text_free(&output);
    scratch_remove(folder);
    return status;
}

bool program_read_after(const char *output, const char *name, const char *ends, char *value, size_t size)
{
    const char *found = strstr(output, name);
    if (found == NULL)
        return false;
    found += strlen(name);
    int length = (int)strcspn(found, ends);
    return length > 0 && snprintf(value, size, "%.*s", length, found) < (int)size;
}

bool toolkit_read_architectures(void *context, const char *output)
{
    Toolkit *toolkit = context;
    for (const char *found = output; (found = strstr(found, "sm_")) != NULL; found += 3)
        if (toolkit->architecture_count < TOOLKIT_MAX_ARCHITECTURES && atoi(found + 3) > 0)
            toolkit->architectures[toolkit->architecture_count++] = atoi(found + 3);
    return toolkit->architecture_count > 0;
}

void toolkit_set_name(Toolkit *toolkit, const char *compiler)
{
    snprintf(toolkit->name, sizeof toolkit->name, "%s %s", compiler, toolkit->version);
    toolkit->major = atoi(toolkit->version);
}
