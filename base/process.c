#include "base/process.h"

#include "base/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ==== guard ======================================================================================================= */

/* In the guard only system calls are allowed, since another thread of the caller may have held a lock. */

/* If the list does not fit, its last number may be cut off and name another process, so it waits for the next round. */
static void kill_children(void)
{
    char text[4096];
    const int file = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    const ssize_t length = file < 0 ? 0 : read(file, text, sizeof text - 1);
    char *at = text;
    if (file >= 0)
        close(file);
    text[length < 0 ? 0 : length] = '\0';
    for (long child = strtol(at, &at, 10); child > 0 && *at == ' '; child = strtol(at, &at, 10))
        kill((pid_t)child, SIGKILL);
}

/* The children of a process die with it (process.h), or clean up after it (scratch.h), which takes a while on a busy
 * machine. After that it is killed; its children come to this process, and are killed in the next round. */
static void end_all(pid_t guarded)
{
    static const double PATIENCE_S = 10;
    const struct timespec pause = {.tv_nsec = 2 * 1000 * 1000};
    const double begun_s = now_s();
    kill(-guarded, SIGKILL);
    for (;;) {
        pid_t ended;
        while ((ended = waitpid(-1, NULL, WNOHANG)) > 0)
            ;
        if (ended < 0 && errno == ECHILD)
            return;
        if (now_s() > begun_s + PATIENCE_S)
            kill_children();
        nanosleep(&pause, NULL);
    }
}

/* Follows the guarded process until it ends or the guard is told to end; as a shell reports it. */
static int follow(pid_t guarded, const sigset_t *awaited)
{
    for (;;) {
        int how = 0;
        const pid_t ended = waitpid(-1, &how, WNOHANG);
        if (ended == guarded)
            return WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
        if (ended < 0)
            return 126;
        if (ended == 0 && sigwaitinfo(awaited, NULL) == SIGTERM)
            return 128 + SIGTERM;
    }
}

static _Noreturn void guard(pid_t caller, const sigset_t *awaited, const sigset_t *mask, Guarded *guarded,
                            void *context)
{
    setpgid(0, 0); /* so that the terminal's Ctrl-C is the caller's affair */
    signal(SIGCHLD, SIG_DFL);
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 || prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != caller)
        _exit(126);
    const pid_t self = getpid(), child = fork();
    if (child == 0) {
        setpgid(0, 0);
        sigprocmask(SIG_SETMASK, mask, NULL);
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == self)
            guarded(context);
        _exit(126);
    }
    close_range(3, ~0u, 0); /* else a process that waits for an end of them would wait for the guard, too */
    const int status = child < 0 ? 126 : follow(child, awaited);
    if (child > 0)
        end_all(child);
    _exit(status);
}

pid_t guard_start(Guarded *guarded, void *context)
{
    const pid_t caller = getpid();
    sigset_t awaited, mask;
    sigemptyset(&awaited);
    sigaddset(&awaited, SIGTERM);
    sigaddset(&awaited, SIGCHLD);
    sigprocmask(SIG_BLOCK, &awaited, &mask); /* before the fork: no handler of the caller's may run in the guard */
    const pid_t pid = fork();
    if (pid == 0)
        guard(caller, &awaited, &mask, guarded, context);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    return pid;
}

/* Begins to end everything. */
static void guard_stop(pid_t guard)
{
    if (guard > 0)
        kill(guard, SIGTERM);
}

void guard_stop_and_wait(pid_t guard)
{
    guard_stop(guard);
    while (guard > 0 && waitpid(guard, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* ==== process times =============================================================================================== */

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

/* True if the processes compute or wait for a core. If they do so for less than a hundredth of the time, they wait for
 * something else. */
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

/* ==== process ===================================================================================================== */

/* The message of a child to its parent before it executes the program. After a success it sends nothing: exec closes
 * its end of the link. */
typedef struct ChildNews {
    int error;         /* errno; 0: the child dies with its parent from now on, and waits for the parent's answer */
    const char *doing; /* a string literal, which has the same address in both processes */
} ChildNews;

static void report_failure(int link, const char *doing)
{
    ChildNews news = {.error = errno, .doing = doing};
    if (send(link, &news, sizeof news, MSG_NOSIGNAL) < 0)
        _exit(126);
    _exit(127);
}

static bool maps_all_users(const ProcessSpec *spec)
{
    return spec->own_users && geteuid() == 0;
}

/* Only root may have a namespace of processes without one of users. */
static int namespaces_of(const ProcessSpec *spec)
{
    int users = maps_all_users(spec) || (spec->own_processes && geteuid() != 0) ? CLONE_NEWUSER : 0;
    return users | (spec->own_processes ? CLONE_NEWPID | CLONE_NEWNS : 0);
}

/* ---- in the child, between fork and exec: system calls only, as another thread may have held a lock -------------- */

static bool write_file(const char *path, const char *text, size_t length)
{
    int file = open(path, O_WRONLY | O_CLOEXEC);
    bool written = file >= 0 && write(file, text, length) == (ssize_t)length;
    if (file >= 0)
        close(file);
    return written;
}

/* The kernel kills the child when the parent's thread ends. That the parent answers shows that it lived after this was
 * arranged. It has mapped the users of the child's namespace by then. */
static void die_with_parent(int link)
{
    ChildNews news = {0};
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        report_failure(link, "PR_SET_PDEATHSIG");
    if (send(link, &news, sizeof news, MSG_NOSIGNAL) < 0 || recv(link, &news, sizeof news, 0) != sizeof news)
        _exit(126);
}

/* In /proc the child finds itself under the number that it has in its own namespace. */
static void mount_own_proc(int link)
{
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0)
        report_failure(link, "a /proc of its own");
}

static void forbid_nested_users(int link)
{
    if (!write_file("/proc/sys/user/max_user_namespaces", "0", 1))
        report_failure(link, "forbidding nested user namespaces");
}

/* Where the judge itself may have less, the program would fail for want of what it was promised. */
static bool is_promised(int resource)
{
    return resource == RLIMIT_AS || resource == RLIMIT_DATA || resource == RLIMIT_FSIZE || resource == RLIMIT_CPU;
}

static void set_limit(int link, int resource, rlim_t value)
{
    struct rlimit inherited, limit = {.rlim_cur = value, .rlim_max = value};
    if (value == 0)
        return;
    if (resource == RLIMIT_CPU)
        limit.rlim_max++; /* SIGXCPU comes at the lower limit; at equal limits SIGKILL would hide the reason */
    bool less = getrlimit(resource, &inherited) == 0 && inherited.rlim_max < limit.rlim_max;
    if (less)
        limit.rlim_max = inherited.rlim_max;
    if (limit.rlim_cur > limit.rlim_max)
        limit.rlim_cur = limit.rlim_max;
    errno = ENOMEM;
    if (less && is_promised(resource))
        report_failure(link, "the judge's own limit (ulimit) is lower");
    if (setrlimit(resource, &limit) != 0)
        report_failure(link, "a resource limit");
}

static void set_limits(int link, const ProcessLimits *limits)
{
    set_limit(link, RLIMIT_AS, limits->address_space_bytes);
    set_limit(link, RLIMIT_DATA, limits->data_bytes);
    set_limit(link, RLIMIT_STACK, limits->stack_bytes);
    set_limit(link, RLIMIT_FSIZE, limits->file_bytes);
    set_limit(link, RLIMIT_CPU, limits->cpu_seconds);
    set_limit(link, RLIMIT_NPROC, limits->processes);
    set_limit(link, RLIMIT_NOFILE, limits->open_files);
    set_limit(link, RLIMIT_CORE, limits->no_core); /* 0 would still start a program that core(5) names; 1 does not */
}

/* Connects standard input to /dev/null, output and errors to where they go, and closes all other descriptors but those in
 * `keep`. */
static void set_descriptors(int link, const ProcessSpec *spec)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    int output = spec->output >= 0 ? spec->output : null;
    if (null < 0 || dup2(output, 1) < 0 || dup2(spec->errors > 0 ? spec->errors : output, 2) < 0 || dup2(null, 0) < 0)
        report_failure(link, "standard input and output");
    if (syscall(SYS_close_range, 3, ~0u, 4 /* CLOSE_RANGE_CLOEXEC, Linux 5.11 */) != 0)
        for (int file = 3; file < 4096; file++)
            fcntl(file, F_SETFD, FD_CLOEXEC);
    for (size_t i = 0; i < spec->keep_count; i++)
        if (spec->keep[i] > 2 && fcntl(spec->keep[i], F_SETFD, 0) != 0)
            report_failure(link, "a descriptor to keep");
}

static void reset_signals(void)
{
    sigset_t none;
    sigemptyset(&none);
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void exec_program(const ProcessSpec *spec, int link)
{
    static const char *const no_environment[] = {NULL};
    const char *const *environment = spec->environment != NULL ? spec->environment : no_environment;
    setpgid(0, 0);
    reset_signals();
    die_with_parent(link);
    if (spec->own_processes)
        mount_own_proc(link);
    if (maps_all_users(spec))
        forbid_nested_users(link);
    set_descriptors(link, spec);
    if (spec->folder != NULL && chdir(spec->folder) != 0)
        report_failure(link, spec->folder);
    set_limits(link, &spec->limits);
    execve(spec->argv[0], (char *const *)spec->argv, (char *const *)environment);
    report_failure(link, spec->argv[0]);
}

/* ---- in the parent ----------------------------------------------------------------------------------------------- */

/* Gives the child's user namespace the users (or groups) of this one, each under its own number. */
static bool map_all(pid_t child, const char *kind)
{
    char path[64], map[1024] = "";
    size_t length = 0;
    unsigned inside, outside, count;
    snprintf(path, sizeof path, "/proc/self/%s", kind);
    FILE *own = fopen(path, "re");
    while (own != NULL && length < sizeof map - 40 && fscanf(own, "%u %u %u", &inside, &outside, &count) == 3)
        length += (size_t)snprintf(map + length, sizeof map - length, "%u %u %u\n", inside, inside, count);
    if (own != NULL)
        fclose(own);
    snprintf(path, sizeof path, "/proc/%d/%s", (int)child, kind);
    return write_file(path, map, length);
}

/* Gives it one user (or group). */
static bool map_one(pid_t child, const char *kind, unsigned number)
{
    char path[64], map[40];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)child, kind);
    int length = snprintf(map, sizeof map, "%u %u 1\n", number, number);
    return write_file(path, map, (size_t)length);
}

static bool map_users(const ProcessSpec *spec, pid_t child)
{
    char path[64];
    if (maps_all_users(spec))
        return map_all(child, "uid_map") && map_all(child, "gid_map");
    snprintf(path, sizeof path, "/proc/%d/setgroups", (int)child);
    return write_file(path, "deny", 4) && map_one(child, "uid_map", geteuid()) && map_one(child, "gid_map", getegid());
}

/* Answers the child until it executes the program. */
static Status await_exec(int link, pid_t child, const ProcessSpec *spec, Message *why)
{
    const char *program = spec->argv[0];
    const bool has_users = (namespaces_of(spec) & CLONE_NEWUSER) != 0;
    ChildNews news;
    ssize_t length;
    while ((length = recv(link, &news, sizeof news, 0)) != 0) {
        if (length < 0 && errno == EINTR)
            continue;
        if (length != sizeof news)
            return fail_errno(why, "%s: cannot be started", program);
        if (news.error != 0) {
            errno = news.error;
            return fail_errno(why, "%s: cannot be started: %s", program, news.doing);
        }
        if (has_users && !map_users(spec, child))
            return fail_errno(why, "%s: cannot be started: the users of its namespace", program);
        if (spec->cgroup != NULL && !cgroup_take(spec->cgroup, child))
            return fail_errno(why, "%s: cannot be started: its control group", program);
        if (send(link, &news, sizeof news, MSG_NOSIGNAL) < 0)
            return fail_errno(why, "%s: cannot be started", program);
    }
    return STATUS_OK;
}

static Status start(const ProcessSpec *spec, pid_t *child, Message *why)
{
    int link[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, link) != 0)
        return fail_errno(why, "%s: cannot be started", spec->argv[0]);
    /* As fork(), which cannot make namespaces. */
    pid_t pid = (pid_t)syscall(SYS_clone, (long)namespaces_of(spec) | SIGCHLD, NULL, NULL, NULL, 0L);
    if (pid == 0) {
        close(link[0]); /* otherwise the child would never see the parent's end of the link close */
        exec_program(spec, link[1]);
    }
    Status status = pid < 0 ? fail_errno(why, "%s: cannot be started: no new process", spec->argv[0]) : STATUS_OK;
    close(link[1]);
    THEN(status, await_exec(link[0], pid, spec, why));
    close(link[0]);
    if (status != STATUS_OK && pid > 0)
        process_kill(pid, NULL);
    *child = status == STATUS_OK ? pid : -1;
    return status;
}

Status process_start(const ProcessSpec *spec, pid_t *child, Message *why)
{
    Status status = start(spec, child, why);
    if (status == STATUS_OK || !spec->own_processes || !spec->may_share_processes)
        return status;
    ProcessSpec sharing = *spec;
    sharing.own_processes = false;
    return start(&sharing, child, why);
}

bool process_limit_is_per_namespace(void)
{
    struct utsname system;
    unsigned major = 0, minor = 0;
    return uname(&system) == 0 && sscanf(system.release, "%u.%u", &major, &minor) == 2 &&
           (major > 5 || (major == 5 && minor >= 14));
}

void process_begin_kill(pid_t child)
{
    kill(-child, SIGKILL);
    kill(child, SIGKILL); /* it may not have entered its group yet */
}

void process_kill(pid_t child, int *exit_status)
{
    int wait_status = 0;
    process_begin_kill(child);
    while (waitpid(child, &wait_status, 0) < 0 && errno == EINTR)
        ;
    if (exit_status != NULL)
        *exit_status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

/* Reads what is available; false at the end of the stream. */
static bool take_output(int pipe_end, size_t keep_bytes, Text *output, ProcessEnd *end)
{
    char piece[65536];
    ssize_t count = read(pipe_end, piece, sizeof piece);
    if (count <= 0)
        return count < 0 && (errno == EAGAIN || errno == EINTR);
    size_t room = output->length < keep_bytes ? keep_bytes - output->length : 0;
    size_t kept = (size_t)count < room ? (size_t)count : room;
    text_append(output, piece, kept);
    end->truncated |= kept < (size_t)count;
    return true;
}

/* Reads output until the child has ended or the deadline is over. The end of the output is no sign: a child can close it
 * and go on, or leave it to a grandchild that never ends. */
static Status follow_child(pid_t child, int pipe_end, double seconds, size_t keep_bytes, Text *output, ProcessEnd *end,
                           Message *why)
{
    int child_file = (int)syscall(SYS_pidfd_open, child, 0); /* -1 before Linux 5.3: the loop then looks every 20 ms */
    struct pollfd events[] = {{.fd = pipe_end, .events = POLLIN}, {.fd = child_file, .events = POLLIN}};
    ProcessDeadline deadline = process_deadline(seconds, seconds, (ProcessTimes){0});
    DeadlineState state = DEADLINE_AHEAD;
    siginfo_t ended = {0};
    for (;;) {
        double left = process_deadline_left(&deadline);
        if (left <= 0)
            state = process_deadline_look(&deadline, process_times(child));
        if (state != DEADLINE_AHEAD)
            break;
        double pause_s = child_file < 0 && left > 0.02 ? 0.02 : left < 3600 ? left : 3600;
        poll(events, 2, (int)(pause_s * 1000) + 1);
        if (events[0].revents != 0 && !take_output(pipe_end, keep_bytes, output, end))
            events[0].fd = -1;
        waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT);
        if (ended.si_pid == child)
            break;
    }
    end->timed_out = ended.si_pid != child;
    if (child_file >= 0)
        close(child_file);
    return state == DEADLINE_STARVED ? process_deadline_starved(&deadline, why) : STATUS_OK;
}

/* Reads what is left in the pipe after the end. This is bounded, since a process that escaped might go on writing. */
static void drain_output(int pipe_end, size_t keep_bytes, Text *output, ProcessEnd *end)
{
    for (int piece = 0; piece < 32; piece++) {
        struct pollfd event = {.fd = pipe_end, .events = POLLIN};
        if (poll(&event, 1, 0) <= 0 || !take_output(pipe_end, keep_bytes, output, end))
            return;
    }
}

Status process_run(const ProcessSpec *spec, double seconds, size_t keep_bytes, Text *output, ProcessEnd *end,
                   Message *why)
{
    int ends[2];
    pid_t child;
    double start = now_s();
    *end = (ProcessEnd){0};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return fail_errno(why, "%s: no pipe", spec->argv[0]);
    ProcessSpec piped = *spec;
    piped.output = ends[1];
    Status status = process_start(&piped, &child, why);
    close(ends[1]);
    if (status == STATUS_OK) {
        text_append(output, "", 0);
        status = follow_child(child, ends[0], seconds, keep_bytes, output, end, why);
        process_kill(child, &end->exit_status);
        drain_output(ends[0], keep_bytes, output, end);
        end->seconds = now_s() - start;
    }
    close(ends[0]);
    return status;
}
