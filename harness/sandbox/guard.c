#include "harness/sandbox/guard.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* In the guard only system calls are allowed, since another thread of the caller may have held a lock. */

/* Of a list that is longer than the text the last number may be cut off, and be another process's; it has its turn in the next round. */
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

/* What a process starts dies with it (process.h), or cleans up after it (scratch.h): that takes a while where the machine is
 * busy. Then it is killed; its children come to this process, and are killed in the next round. */
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
    close_range(3, ~0u, 0); /* otherwise whoever waits for the end of one of them would wait for the guard, too */
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

void guard_stop(pid_t guard)
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
