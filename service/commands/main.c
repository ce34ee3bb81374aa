/* main.c - convjudge: judges, and knows which commands are convjudge-service's.  */
#include "base/arena.h"
#include "grader/judge/judge.h"
#include "service/commands/command_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const rlim_t WANTED_BYTES = 8 << 20, LEAST_BYTES = 1 << 20;

/* Raises the limit of the stack, whatever the caller's shell allows (ulimit -s), to 8 MiB, or as far as the system allows, and starts the
 * program again with it: threads get stacks of the size that the limit had when the program began. False: even the system's limit is
 * too low for a grading. */
static bool raise_stack_limit(char **argv)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= WANTED_BYTES)
        return true;
    const rlim_t most = limit.rlim_max < WANTED_BYTES ? limit.rlim_max : WANTED_BYTES;
    if (most < LEAST_BYTES)
        return false;
    if (limit.rlim_cur == most)
        return true;
    limit.rlim_cur = most;
    if (setrlimit(RLIMIT_STACK, &limit) == 0)
        execv("/proc/self/exe", argv);
    return true;
}

/* Idle threads of OpenMP would spin on the cores that the simulated GPU and other gradings need, which takes half
 * of the time of a grading. GNU's OpenMP reads the variable before main() begins, so the program starts itself
 * again. If that fails, it goes on, only slower. */
static void let_idle_threads_sleep(char **argv)
{
    if (getenv("OMP_WAIT_POLICY") == NULL && setenv("OMP_WAIT_POLICY", "passive", 0) == 0)
        execv("/proc/self/exe", argv);
}

/* The file stands beside this one. */
static int run_in_service(const Subcommand *subcommand, int argc, char **argv)
{
    char path[4096], line[5000];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length < 0 ? 0 : length] = '\0';
    size_t room = sizeof path - strlen(path);
    strncat(path, "-service", room - 1);
    char **words = zeroed((size_t)argc + 2, sizeof *words); /* up to NULL */
    words[0] = path;
    memcpy(words + 1, argv, (size_t)argc * sizeof *words);
    execv(path, words);
    free(words);
    snprintf(line, sizeof line, "%s: cannot be started (%m), expected the program that `make service` builds", path);
    return command_line_complain(line);
}

int main(int argc, char **argv)
{
    const char *name = argc < 2 ? "" : argv[1];
    int exit_status;
    if (!raise_stack_limit(argv))
        return command_line_complain("the stack is limited to less than 1 MiB (ulimit -Hs), expected 8 MiB");
    if (judge_part(argc, argv, &exit_status))
        return exit_status;
    if (argc > 1 && name[0] != '-')
        let_idle_threads_sleep(argv);
    return command_line(argc, argv, run_in_service);
}
