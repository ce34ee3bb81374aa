#include "service/worker/child.h"

#include "harness/sandbox/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { READER, WRITER };
enum { PAUSE_MS = 100, MOST_PIECES = 64 }; /* a pipe holds less */

typedef struct Following {
    const ChildSpec *spec;
    pid_t child;
    int output[2], errors[2];
    size_t keep_bytes;
    Text *kept;
    char line[500]; /* of standard error, as far as it has come */
    size_t length;
    ChildProgress progress;
    ChildEnd *end;
} Following;

/* ---- what the child says ----------------------------------------------------------------------------------------- */

/* "progress 1/3 timed cases", as progress.h has it; false: some other line. */
static bool take_progress(const char *line, ChildProgress *progress)
{
    int done, total, end = 0;
    if (sscanf(line, "progress %d/%d %n", &done, &total, &end) < 2 || end == 0 || done < 0 || total < 0)
        return false;
    *progress = (ChildProgress){.done = done, .total = total};
    snprintf(progress->step, sizeof progress->step, "%s", line + end);
    return true;
}

static void take_line(Following *following)
{
    following->line[following->length] = '\0';
    if (following->length > 0 && !take_progress(following->line, &following->progress))
        memcpy(following->end->last_words, following->line, following->length + 1);
    following->length = 0;
}

/* Of a line that is too long, the beginning counts. */
static void take_errors(Following *following, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] == '\n')
            take_line(following);
        else if (following->length < sizeof following->line - 1)
            following->line[following->length++] = bytes[i];
}

static void take_output(Following *following, const char *bytes, size_t count)
{
    size_t length = following->kept->length;
    size_t room = length < following->keep_bytes ? following->keep_bytes - length : 0;
    text_append(following->kept, bytes, count < room ? count : room);
}

/* Reads what is there; false: nothing will come any more. */
static bool read_piece(Following *following, int reader)
{
    char bytes[16384];
    ssize_t count = read(reader, bytes, sizeof bytes);
    if (count <= 0)
        return count < 0 && (errno == EAGAIN || errno == EINTR);
    if (reader == following->output[READER])
        take_output(following, bytes, (size_t)count);
    else
        take_errors(following, bytes, (size_t)count);
    return true;
}

/* Bounded, since somebody who holds the other end may never stop writing. */
static void read_rest(Following *following, int reader)
{
    for (int piece = 0; piece < MOST_PIECES; piece++) {
        struct pollfd event = {.fd = reader, .events = POLLIN};
        if (poll(&event, 1, 0) <= 0 || !read_piece(following, reader))
            break;
    }
}

/* ---- its life ---------------------------------------------------------------------------------------------------- */

static bool has_ended(pid_t child)
{
    siginfo_t ended = {0};
    waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT);
    return ended.si_pid == child;
}

/* The end of the child wakes this up at once; without pidfd_open(), before Linux 5.3, the next look comes soon. */
static void follow(Following *following)
{
    struct pollfd events[] = {{.fd = following->output[READER], .events = POLLIN},
                              {.fd = following->errors[READER], .events = POLLIN},
                              {.fd = (int)syscall(SYS_pidfd_open, following->child, 0), .events = POLLIN}};
    while (!has_ended(following->child) && !following->end->killed) {
        poll(events, 3, PAUSE_MS);
        for (int i = 0; i < 2; i++)
            if (events[i].revents != 0 && !read_piece(following, events[i].fd))
                events[i].fd = -1;
        following->end->killed = !following->spec->goes_on(following->spec->context, &following->progress);
    }
    if (events[2].fd >= 0)
        close(events[2].fd);
}

static Status start(Following *following, Message *why)
{
    const ProcessSpec spec = {.argv = following->spec->arguments,
                              .environment = following->spec->environment,
                              .output = following->output[WRITER],
                              .errors = following->errors[WRITER],
                              .limits = {.no_core = true}};
    return process_start(&spec, &following->child, why);
}

static Status follow_to_end(Following *following, Message *why)
{
    Status status = start(following, why);
    close(following->output[WRITER]);
    close(following->errors[WRITER]);
    if (status != STATUS_OK)
        return status;
    follow(following);
    process_kill(following->child, &following->end->exit_status);
    read_rest(following, following->output[READER]);
    read_rest(following, following->errors[READER]);
    take_line(following);
    return STATUS_OK;
}

/* Only the reading end must not block: the child has the other one. */
static Status open_pipe(int ends[2], Message *why)
{
    if (pipe2(ends, O_CLOEXEC) != 0)
        return fail_errno(why, "no pipe");
    fcntl(ends[READER], F_SETFL, O_NONBLOCK);
    return STATUS_OK;
}

Status child_run(const ChildSpec *spec, size_t keep_bytes, Text *output, ChildEnd *end, Message *why)
{
    Following following = {.spec = spec, .keep_bytes = keep_bytes, .kept = output, .end = end};
    *end = (ChildEnd){0};
    text_append(output, "", 0);
    Status status = open_pipe(following.output, why);
    if (status != STATUS_OK)
        return status;
    status = open_pipe(following.errors, why);
    if (status == STATUS_OK) {
        status = follow_to_end(&following, why);
        close(following.errors[READER]);
    } else {
        close(following.output[WRITER]);
    }
    close(following.output[READER]);
    return status;
}
