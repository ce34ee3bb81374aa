#include "service/commands/compile_ahead.h"

#include "base/allocated.h"
#include "base/text.h"
#include "harness/sandbox/scratch.h"
#include "service/commands/own_program.h"
#include "service/store/judgings.h"
#include "service/store/submissions.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILE_NAME_BYTES = 80, PER_PROCESS = 4 }; /* submissions to look ahead for each process */

typedef struct Compiling {
    pid_t pid; /* 0: none */
    int64_t judging;
} Compiling;

struct CompileAhead {
    CompileAheadSpec spec;
    char program[OWN_PROGRAM_BYTES];
    char folder[4000]; /* of the sources */
    Compiling *items;
    int64_t
        last; /* the judging up to which everything has been started; the queue's order is that of numbers but for ties */
    double last_position;
};

Status compile_ahead_start(const CompileAheadSpec *spec, CompileAhead **ahead, Message *why)
{
    CompileAhead *made = *ahead = zeroed(1, sizeof *made);
    made->spec = *spec;
    made->last_position = -1;
    made->items = zeroed(spec->processes + 1, sizeof *made->items);
    Status status = own_program(made->program, why);
    return status == STATUS_OK ? scratch_new(made->folder, sizeof made->folder, why) : status;
}

static void name_source(const CompileAhead *ahead, int64_t judging, char path[sizeof ahead->folder + FILE_NAME_BYTES])
{
    snprintf(path, sizeof ahead->folder + FILE_NAME_BYTES, "%s/%lld.cu", ahead->folder, (long long)judging);
}

static void run(const CompileAhead *ahead, const char *problem, const char *path)
{
    const struct sched_param none = {0};
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpriority(PRIO_PROCESS, 0, 19);
    sched_setscheduler(0, SCHED_IDLE, &none);
    signal(SIGPIPE, SIG_DFL);
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    dup2(ahead->spec.log > 0 ? ahead->spec.log : null, STDERR_FILENO);
    if (ahead->spec.unconfined)
        execl(ahead->program, ahead->program, "compile", "--unconfined", "--problem", problem, "--device",
              ahead->spec.device, "--", path, (char *)NULL);
    else
        execl(ahead->program, ahead->program, "compile", "--problem", problem, "--device", ahead->spec.device, "--",
              path, (char *)NULL);
    _exit(127);
}

static void start(CompileAhead *ahead, Compiling *item, Store *store, const Judging *judging, Arena *arena)
{
    char path[sizeof ahead->folder + FILE_NAME_BYTES];
    const char *source = NULL;
    Text text = {0};
    const pid_t parent = getpid();
    if (submissions_source(store, judging->source_hash, arena, &source, NULL) != STATUS_OK || source == NULL)
        return;
    name_source(ahead, judging->id, path);
    text_add(&text, source);
    if (text_write_file(path, &text, NULL) == STATUS_OK) {
        const pid_t pid = fork();
        if (pid == 0 && getppid() == parent)
            run(ahead, judging->problem, path);
        if (pid == 0)
            _exit(0);
        *item = (Compiling){.pid = pid > 0 ? pid : 0, .judging = judging->id};
    }
    text_free(&text);
}

static void forget(const CompileAhead *ahead, Compiling *item)
{
    char path[sizeof ahead->folder + FILE_NAME_BYTES];
    name_source(ahead, item->judging, path);
    unlink(path);
    *item = (Compiling){0};
}

static size_t reap(CompileAhead *ahead)
{
    size_t idle = 0;
    for (size_t i = 0; i < ahead->spec.processes; i++) {
        Compiling *item = &ahead->items[i];
        if (item->pid > 0 && waitpid(item->pid, NULL, WNOHANG) == item->pid)
            forget(ahead, item);
        idle += item->pid == 0;
    }
    return idle;
}

static bool comes_later(const CompileAhead *ahead, const Judging *judging)
{
    return judging->position > ahead->last_position ||
           (judging->position >= ahead->last_position && judging->id > ahead->last);
}

void compile_ahead_tick(CompileAhead *ahead, Store *store)
{
    Arena arena = {0};
    Judging *queued;
    size_t count = 0, next = 0;
    if (ahead == NULL || reap(ahead) == 0 ||
        judgings_in_state(store, "queued", (int64_t)(PER_PROCESS * ahead->spec.processes), &arena, &queued, &count,
                          NULL) != STATUS_OK)
        count = 0;
    for (size_t i = 0; count > 0 && i < ahead->spec.processes; i++) {
        if (ahead->items[i].pid != 0)
            continue;
        while (next < count && !comes_later(ahead, &queued[next]))
            next++;
        if (next == count)
            break;
        ahead->last = queued[next].id;
        ahead->last_position = queued[next].position;
        start(ahead, &ahead->items[i], store, &queued[next], &arena);
    }
    arena_free(&arena);
}

void compile_ahead_stop(CompileAhead *ahead)
{
    if (ahead == NULL)
        return;
    for (size_t i = 0; i < ahead->spec.processes; i++)
        if (ahead->items[i].pid > 0)
            kill(-ahead->items[i].pid, SIGKILL);
    for (size_t i = 0; i < ahead->spec.processes; i++)
        while (ahead->items[i].pid > 0 && waitpid(ahead->items[i].pid, NULL, 0) < 0 && errno == EINTR)
            ;
    if (ahead->folder[0] != '\0')
        scratch_remove(ahead->folder);
    free(ahead->items);
    free(ahead);
}
