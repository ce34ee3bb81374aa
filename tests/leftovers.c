/* leftovers.c - runs a command, and says whether anything outlives it and how much processor time all of it took.
 *
 *     leftovers [-t FILE] COMMAND [ARGUMENT ...]
 *
 * Exits as the command does (128 + signal where one ended it), or with 99 where a descendant was still alive some seconds
 * after it: each is named on standard error and killed. Orphans come to this process (PR_SET_CHILD_SUBREAPER), so a
 * daemon cannot hide by double forking or by a session of its own. FILE gets the seconds of a processor of all descendants,
 * also of those that their parents do not wait for. Missing are processes that end with their PID namespace, which the
 * kernel counts nowhere: a tenth of a grading (a control group showed 7.1 s in place of 6.4 s).
 *
 * Source   prctl(2), getrusage(2), pid_namespaces(7).  */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LEFTOVER_STATUS = 99, PATIENCE_MS = 10000 };

static int status_of(int wait_status)
{
    return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

/* Waits until every descendant is gone or patience ends; true where none is left. */
static int all_gone(void)
{
    for (int waited = 0; waited < PATIENCE_MS; waited += 10) {
        pid_t pid;
        while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
            continue;
        if (pid < 0 && errno == ECHILD)
            return 1;
        usleep(10000);
    }
    return 0;
}

static void name_and_kill(void)
{
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
    FILE *children = fopen(path, "r");
    int pid;
    while (children != NULL && fscanf(children, "%d", &pid) == 1) {
        size_t length = 0;
        snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
        FILE *words = fopen(path, "r");
        if (words != NULL) {
            length = fread(line, 1, sizeof line - 1, words);
            fclose(words);
        }
        for (size_t i = 0; i < length; i++)
            if (line[i] == '\0' || line[i] == '\n')
                line[i] = ' ';
        line[length] = '\0';
        fprintf(stderr, "leftovers: process %d lives on: %s\n", pid, line);
        kill(pid, SIGKILL);
    }
    if (children != NULL)
        fclose(children);
}

static int write_seconds(const char *path)
{
    struct rusage used;
    FILE *file = fopen(path, "w");
    if (file == NULL || getrusage(RUSAGE_CHILDREN, &used) != 0)
        return -1;
    fprintf(file, "%.2f\n",
            (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec));
    return fclose(file);
}

int main(int argc, char **argv)
{
    const char *times = argc > 3 && strcmp(argv[1], "-t") == 0 ? argv[2] : NULL;
    char **command = argv + (times != NULL ? 3 : 1);
    if (argc < 2) {
        fputs("usage: leftovers [-t FILE] COMMAND [ARGUMENT ...]\n", stderr);
        return 2;
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t child = fork();
    if (child == 0) {
        execvp(command[0], command);
        perror(command[0]);
        _exit(127);
    }
    int wait_status = 0;
    pid_t ended = -1;
    while (child > 0 && (ended = waitpid(-1, &wait_status, 0)) > 0 && ended != child)
        continue; /* an orphan that stayed a zombie would seem to live to whoever looks for it */
    if (ended != child) {
        perror("leftovers");
        return 2;
    }
    int status = status_of(wait_status);
    if (!all_gone()) {
        status = LEFTOVER_STATUS;
        do /* the children of what is killed come here, too */
            name_and_kill();
        while (!all_gone());
    }
    if (times != NULL && write_seconds(times) != 0) {
        perror(times);
        return 2;
    }
    return status;
}
