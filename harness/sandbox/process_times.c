#include "harness/sandbox/process_times.h"

#include "base/clock.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- what processes have done so far ----------------------------------------------------------------------------- */

/* Reads the beginning of a file about a thread of a process. False: there is none. */
static bool read_about(pid_t process, pid_t thread, const char *what, char *text, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/%s", process, thread, what);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? -1 : read(file, text, size - 1);
    if (file >= 0)
        close(file);
    text[length < 0 ? 0 : length] = '\0';
    return length >= 0;
}

static void add_process(pid_t process, ProcessTimes *sum);

/* The times of children that have ended belong to the process, not to each of its threads. Source: proc_pid_stat(5). */
static void add_state(pid_t process, pid_t thread, ProcessTimes *sum)
{
    char text[1024], state = '\0';
    unsigned long user_ticks = 0, system_ticks = 0;
    const char *name_end = read_about(process, thread, "stat", text, sizeof text) ? strrchr(text, ')') : NULL;
    if (name_end == NULL || sscanf(name_end + 1, " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lu %lu", &state,
                                   &user_ticks, &system_ticks) != 3)
        return;
    sum->is_runnable |= state == 'R';
    if (thread == process)
        sum->computed_s += (double)(user_ticks + system_ticks) / (double)sysconf(_SC_CLK_TCK);
}

static void add_thread(pid_t process, pid_t thread, ProcessTimes *sum)
{
    char text[1024];
    unsigned long long ran_ns, delayed_ns;
    add_state(process, thread, sum);
    if (read_about(process, thread, "schedstat", text, sizeof text) &&
        sscanf(text, "%llu %llu", &ran_ns, &delayed_ns) == 2)
        sum->delayed_s += 1e-9 * (double)delayed_ns;
    if (!read_about(process, thread, "children", text, sizeof text))
        return;
    char *at = text;
    for (long child = strtol(at, &at, 10); child > 0; child = strtol(at, &at, 10))
        add_process((pid_t)child, sum);
}

static void add_process(pid_t process, ProcessTimes *sum)
{
    char path[64];
    sum->computed_s += process_computed_s(process);
    snprintf(path, sizeof path, "/proc/%d/task", process);
    DIR *threads = opendir(path);
    for (struct dirent *entry; threads != NULL && (entry = readdir(threads)) != NULL;) {
        const long thread = strtol(entry->d_name, NULL, 10);
        if (thread > 0)
            add_thread(process, (pid_t)thread, sum);
    }
    if (threads != NULL)
        closedir(threads);
}

ProcessTimes process_times(pid_t process)
{
    ProcessTimes sum = {0};
    if (process > 0)
        add_process(process, &sum);
    return sum;
}

double process_computed_s(pid_t process)
{
    clockid_t clock;
    struct timespec time;
    return clock_getcpuclockid(process, &clock) == 0 && clock_gettime(clock, &time) == 0
               ? (double)time.tv_sec + 1e-9 * (double)time.tv_nsec
               : 0;
}

/* ---- deadlines --------------------------------------------------------------------------------------------------- */

ProcessDeadline process_deadline(double seconds, double most_computed_s, ProcessTimes begun)
{
    const double start_s = now_s();
    return (ProcessDeadline){.seconds = seconds,
                             .most_computed_s = begun.computed_s + most_computed_s,
                             .start_s = start_s,
                             .seen_s = start_s,
                             .at_s = start_s + seconds,
                             .seen = begun};
}

double process_deadline_left(const ProcessDeadline *deadline)
{
    return fmax(deadline->at_s - now_s(), 0);
}

/* What computes or is delayed for less than a hundredth of the time waits for something else than a core. */
static bool is_starved(const ProcessDeadline *deadline, ProcessTimes times, double now)
{
    const double least_s = 0.01 * (now - deadline->seen_s);
    return times.is_runnable || times.computed_s - deadline->seen.computed_s > least_s ||
           times.delayed_s - deadline->seen.delayed_s > least_s;
}

DeadlineState process_deadline_look(ProcessDeadline *deadline, ProcessTimes times)
{
    static const double MOST_TIMES = 20; /* a machine that leaves processes so little serves nobody */
    const double now = now_s();
    if (now < deadline->at_s)
        return DEADLINE_AHEAD;
    if (times.computed_s >= deadline->most_computed_s || !is_starved(deadline, times, now))
        return DEADLINE_OVER;
    if (now >= deadline->start_s + MOST_TIMES * deadline->seconds)
        return DEADLINE_STARVED;
    deadline->seen = times;
    deadline->seen_s = now;
    deadline->at_s = now + deadline->seconds / 4;
    return DEADLINE_AHEAD;
}

Status process_deadline_starved(const ProcessDeadline *deadline, Message *why)
{
    return fail(STATUS_SYSTEM, why,
                "this machine is too busy: what may take %g s has not ended after %.0f s; try again later",
                deadline->seconds, now_s() - deadline->start_s);
}

/* ---- chains of processes ----------------------------------------------------------------------------------------- */

/* The only child of a process: 0: it has none; -1: it has several, or they are unknown. */
static pid_t only_child(pid_t parent)
{
    char text[64];
    const bool is_known = read_about(parent, parent, "children", text, sizeof text);
    char *end = text;
    long child = strtol(text, &end, 10);
    return !is_known || end[strspn(end, " ")] != '\0' ? -1 : (pid_t)child;
}

pid_t process_innermost(pid_t child)
{
    for (;;) {
        pid_t inner = only_child(child);
        if (inner <= 0)
            return inner < 0 ? 0 : child;
        child = inner;
    }
}
