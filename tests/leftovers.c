/* leftovers.c - runs a command and says whether anything outlives it.
 *
 *     leftovers COMMAND [ARGUMENT ...]
 *
 * Exits as the command does (128 + signal where one ended it), or with 99 where a descendant was still alive a moment
 * after it: each is named on standard error and killed. Orphans come to this process (PR_SET_CHILD_SUBREAPER), so a
 * daemon cannot hide by double forking or by a session of its own.  */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
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
        snprintf(path, sizeof path, "/proc/%d/comm", pid);
        FILE *name = fopen(path, "r");
        if (name == NULL || fgets(line, sizeof line, name) == NULL)
            strcpy(line, "?\n");
        if (name != NULL)
            fclose(name);
        fprintf(stderr, "leftovers: process %d lives on: %s", pid, line);
        kill(pid, SIGKILL);
    }
    if (children != NULL)
        fclose(children);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fputs("usage: leftovers COMMAND [ARGUMENT ...]\n", stderr);
        return 2;
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t child = fork();
    if (child == 0) {
        execvp(argv[1], argv + 1);
        perror(argv[1]);
        _exit(127);
    }
    int wait_status = 0;
    if (child < 0 || waitpid(child, &wait_status, 0) != child) {
        perror("leftovers");
        return 2;
    }
    if (all_gone())
        return status_of(wait_status);
    name_and_kill();
    return LEFTOVER_STATUS;
}
