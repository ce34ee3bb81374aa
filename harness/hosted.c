#include "harness/hosted.h"
#include "harness/toolkit.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    MAX_PRINTED = 64 * 1024,
    MAX_PROCESSES = 32,
    MAX_FILES = 64,
    FILE_BYTES = 16 << 20,
    RUNNER_OWN_BYTES = 16 << 20 /* of private memory: the C library, the runtime, a thread's stack */
};

static const char INSIDE_OBJECT[] = "/judge/submission.so";

static Status start(const char *object_path, int ring, int output, const SessionLimits *limits, Hosted *runner,
                    Message *why)
{
    char program[4096], library[4096], descriptor[16];
    Status status = build_path("convjudge-runner", program, sizeof program, why);
    if (status == STATUS_OK)
        status = build_path("libcudart.so.13", library, sizeof library, why);
    if (status != STATUS_OK)
        return status;
    snprintf(descriptor, sizeof descriptor, "%d", ring);
    const char *const arguments[] = {"/judge/convjudge-runner", descriptor, INSIDE_OBJECT, NULL};
    const SandboxMount mounts[] = {{program, arguments[0], false},
                                   {library, "/judge/libcudart.so.13", false},
                                   {object_path, INSIDE_OBJECT, false}};
    const SandboxSpec spec = {.process = {.argv = arguments,
                                          .keep = &ring,
                                          .keep_count = 1,
                                          .output = output,
                                          .limits = {.data_bytes = limits->host_bytes + RUNNER_OWN_BYTES,
                                                     .file_bytes = FILE_BYTES,
                                                     .processes = MAX_PROCESSES,
                                                     .open_files = MAX_FILES}},
                              .mounts = mounts,
                              .mount_count = 3,
                              .one_process = true,
                              .proc = true,
                              .dev = true,
                              .tmp_bytes = FILE_BYTES};
    ProcessSpec process;
    status = sandbox_new(&spec, &runner->sandbox, &process, why);
    return status == STATUS_OK ? process_start(&process, &runner->pid, why) : status;
}

Status hosted_start(const char *object_path, int ring, const SessionLimits *limits, Hosted *runner, Message *why)
{
    int ends[2];
    *runner = (Hosted){.ended = -1, .output = -1};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return fail_errno(why, "a pipe");
    runner->output = ends[0];
    fcntl(runner->output, F_SETFL, O_NONBLOCK);
    Status status = start(object_path, ring, ends[1], limits, runner, why);
    close(ends[1]);
    if (status == STATUS_OK) {
        runner->ended = (int)syscall(SYS_pidfd_open, runner->pid, 0);
        if (runner->ended < 0)
            status = fail_errno(why, "pidfd_open");
    }
    if (status != STATUS_OK)
        hosted_stop(runner, NULL);
    return status;
}

static void close_if_open(int *descriptor)
{
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
}

/* False when there is nothing to read now. At its end the pipe is closed, since poll() would report it for ever. */
static bool drain_piece(Hosted *runner)
{
    char piece[16 * 1024];
    ssize_t count = read(runner->output, piece, sizeof piece);
    if (count <= 0) {
        if (count == 0)
            close_if_open(&runner->output);
        return false;
    }
    size_t room = MAX_PRINTED - runner->printed.length;
    size_t kept = (size_t)count < room ? (size_t)count : room;
    text_append(&runner->printed, piece, kept);
    runner->printed_lost += (size_t)count - kept;
    return true;
}

/* More than a pipe holds, but not without end: somebody may write as fast as this reads. */
void hosted_drain(Hosted *runner)
{
    for (int i = 0; i < 64 && runner->output >= 0 && drain_piece(runner); i++) {
    }
}

void hosted_take_printed(Hosted *runner, Text *printed, uint64_t *lost)
{
    text_add_printable(printed, runner->printed.data, runner->printed.length);
    *lost += runner->printed_lost;
    text_free(&runner->printed);
    runner->printed_lost = 0;
}

void hosted_stop(Hosted *runner, int *exit_status)
{
    if (runner->pid > 0)
        process_kill(runner->pid, exit_status);
    close_if_open(&runner->ended);
    close_if_open(&runner->output);
    sandbox_free(runner->sandbox);
    text_free(&runner->printed);
    *runner = (Hosted){.ended = -1, .output = -1};
}

void hosted_explain_end(int exit_status, const char *doing, char *text, size_t size)
{
    int signal_number = exit_status - 128;
    if (signal_number > 0 && signal_number < NSIG)
        snprintf(text, size, "%s did not return: the process was ended by signal %d (%s)", doing, signal_number,
                 strsignal(signal_number));
    else
        snprintf(text, size, "%s did not return: the process ended with exit status %d", doing, exit_status);
}
