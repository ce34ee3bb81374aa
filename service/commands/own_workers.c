#include "service/commands/own_workers.h"

#include "base/allocated.h"
#include "base/clock.h"
#include "service/commands/own_program.h"
#include "service/log/log.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const double RESTART_S = 5, PATIENCE_S = 10;

typedef struct OwnWorker {
    const char *device;
    char name[80];
    pid_t pid; /* 0: it does not run */
    double started_s;
} OwnWorker;

struct OwnWorkers {
    OwnWorkersSpec spec;
    int ended; /* workers that ended by themselves, ever */
    char program[OWN_PROGRAM_BYTES];
    OwnWorker *items;
    size_t count;
};

static void start_worker(const OwnWorkers *workers, OwnWorker *worker)
{
    const pid_t server = getpid();
    worker->started_s = now_s();
    worker->pid = fork();
    if (worker->pid != 0)
        return;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != server)
        _exit(0); /* the server has ended already */
    signal(SIGPIPE, SIG_DFL);
    if (workers->spec.log > 0)
        dup2(workers->spec.log, STDERR_FILENO);
    const char *words[12] = {workers->program, "work",         "--spool", workers->spec.spool,
                             "--device",       worker->device, "--name",  worker->name};
    size_t count = 8;
    if (!workers->spec.explains)
        words[count++] = "--no-explain";
    if (workers->spec.unconfined)
        words[count++] = "--unconfined";
    execv(workers->program, (char *const *)words);
    _exit(127);
}

Status own_workers_start(const OwnWorkersSpec *spec, OwnWorkers **workers, Message *why)
{
    const Names *devices = spec->devices;
    OwnWorkers *made = zeroed(1, sizeof *made);
    *workers = made;
    made->spec = *spec;
    made->items = zeroed(devices->count + 1, sizeof *made->items);
    made->count = devices->count;
    Status status = own_program(made->program, why);
    for (size_t i = 0; i < made->count && status == STATUS_OK; i++) {
        made->items[i].device = devices->items[i];
        snprintf(made->items[i].name, sizeof made->items[i].name, "own-%zu", i + 1);
        start_worker(made, &made->items[i]);
    }
    return status;
}

void own_workers_tick(OwnWorkers *workers)
{
    int how;
    for (size_t i = 0; i < workers->count; i++) {
        OwnWorker *worker = &workers->items[i];
        if (worker->pid > 0 && waitpid(worker->pid, &how, WNOHANG) == worker->pid) {
            log_event(LEVEL_WARNING, "worker_ended", "worker", worker->name);
            worker->pid = 0;
            workers->ended++;
        }
        if (worker->pid <= 0 && now_s() > worker->started_s + RESTART_S)
            start_worker(workers, worker);
    }
}

int own_workers_ended(const OwnWorkers *workers)
{
    return workers->ended;
}

void own_workers_stop(OwnWorkers *workers)
{
    if (workers == NULL)
        return;
    const double begun = now_s();
    for (size_t i = 0; i < workers->count; i++)
        if (workers->items[i].pid > 0)
            kill(workers->items[i].pid, SIGTERM);
    for (size_t i = 0; i < workers->count; i++) {
        const pid_t pid = workers->items[i].pid;
        while (pid > 0 && waitpid(pid, NULL, WNOHANG) == 0) {
            if (now_s() > begun + PATIENCE_S)
                kill(pid, SIGKILL);
            nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
        }
    }
    free(workers->items);
    free(workers);
}
