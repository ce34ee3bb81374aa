#include "service/commands/compile_ahead.h"

#include "base/allocated.h"
#include "base/clock.h"
#include "base/text.h"
#include "harness/sandbox/guard.h"
#include "harness/sandbox/scratch.h"
#include "service/commands/own_program.h"
#include "service/spool/spool.h"
#include "service/store/judgings.h"
#include "service/store/submissions.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILE_NAME_BYTES = 80, PER_PROCESS = 4 }; /* submissions to look ahead for each process */
static const double LOOK_S = 1;

typedef struct Compiling {
    pid_t pid; /* of its guard; 0: none */
    int64_t judging;
} Compiling;

struct CompileAhead {
    CompileAheadSpec spec;
    char program[OWN_PROGRAM_BYTES];
    char folder[4000]; /* of the sources */
    Compiling *items;
    int64_t *begun; /* the newest judgings that were begun, as many as it looks ahead, in a ring */
    size_t window;  /* how many that is */
    size_t begun_count;
    double looked_s;
    int64_t
        newest; /* judging of the look before: what is newer goes to an idle worker at once, or waits until the next look */
};

Status compile_ahead_start(const CompileAheadSpec *spec, CompileAhead **ahead, Message *why)
{
    CompileAhead *made = *ahead = zeroed(1, sizeof *made);
    made->spec = *spec;
    made->window = PER_PROCESS * spec->processes;
    made->begun = zeroed(made->window + 1, sizeof *made->begun);
    made->items = zeroed(spec->processes + 1, sizeof *made->items);
    Status status = own_program(made->program, why);
    return status == STATUS_OK ? scratch_new(made->folder, sizeof made->folder, why) : status;
}

static void name_source(const CompileAhead *ahead, int64_t judging, char path[sizeof ahead->folder + FILE_NAME_BYTES])
{
    snprintf(path, sizeof ahead->folder + FILE_NAME_BYTES, "%s/%lld.cu", ahead->folder, (long long)judging);
}

static void forget_opinion(const CompileAhead *ahead, int64_t judging)
{
    char path[SPOOL_OPINION_BYTES];
    spool_opinion_path(ahead->spec.spool, judging, path);
    if (judging != 0)
        unlink(path);
}

typedef struct Task {
    const CompileAhead *ahead;
    const Judging *judging;
    const char *path;
} Task;

static void run(void *context)
{
    const Task *task = context;
    const CompileAhead *ahead = task->ahead;
    char opinion[SPOOL_OPINION_BYTES + 16], place[SPOOL_OPINION_BYTES];
    const struct sched_param none = {0};
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    setpriority(PRIO_PROCESS, 0, 19);
    sched_setscheduler(0, SCHED_IDLE, &none);
    signal(SIGPIPE, SIG_DFL);
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    dup2(ahead->spec.log > 0 ? ahead->spec.log : null, STDERR_FILENO);
    spool_opinion_path(ahead->spec.spool, task->judging->id, place);
    snprintf(opinion, sizeof opinion, "--opinion=%s", place);
    const char *words[12] = {ahead->program,         "compile",  "--problem",
                             task->judging->problem, "--device", ahead->spec.device};
    size_t count = 6;
    if (strcmp(task->judging->mode, "try") != 0)
        words[count++] = opinion;
    if (ahead->spec.unconfined)
        words[count++] = "--unconfined";
    words[count++] = "--";
    words[count++] = task->path;
    execv(ahead->program, (char *const *)words);
    _exit(127);
}

static void start(CompileAhead *ahead, Compiling *item, Store *store, const Judging *judging, Arena *arena)
{
    char path[sizeof ahead->folder + FILE_NAME_BYTES];
    const char *source = NULL;
    Text text = {0};
    if (submissions_source(store, judging->source_hash, arena, &source, NULL) != STATUS_OK || source == NULL)
        return;
    name_source(ahead, judging->id, path);
    text_add(&text, source);
    if (text_write_file(path, &text, NULL) == STATUS_OK) {
        Task task = {.ahead = ahead, .judging = judging, .path = path};
        const pid_t pid = guard_start(run, &task);
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

static bool was_begun(const CompileAhead *ahead, int64_t judging)
{
    for (size_t i = 0; i < ahead->window; i++)
        if (ahead->begun[i] == judging)
            return true;
    return false;
}

typedef struct Waiting { /* in the order of judging */
    Judging *items;
    size_t count;
} Waiting;

static void add_waiting(const CompileAhead *ahead, Store *store, const char *state, Arena *arena, Waiting *waiting)
{
    Judging *found;
    size_t count = 0;
    if (judgings_in_state(store, state, (int64_t)ahead->window, arena, &found, &count, NULL) != STATUS_OK)
        return;
    for (size_t i = 0; i < count && waiting->count < ahead->window; i++)
        waiting->items[waiting->count++] = found[i];
}

/* The first that was not begun; NULL: there is none. */
static const Judging *next_of(CompileAhead *ahead, const Waiting *waiting)
{
    for (size_t i = 0; i < waiting->count; i++) {
        const Judging *judging = &waiting->items[i];
        if (judging->id <= ahead->newest && !was_begun(ahead, judging->id)) {
            int64_t *place = &ahead->begun[ahead->begun_count++ % ahead->window];
            forget_opinion(ahead, *place);
            *place = judging->id;
            return judging;
        }
    }
    return NULL;
}

static void note_newest(CompileAhead *ahead, const Waiting *waiting)
{
    for (size_t i = 0; i < waiting->count; i++)
        if (waiting->items[i].id > ahead->newest)
            ahead->newest = waiting->items[i].id;
}

void compile_ahead_tick(CompileAhead *ahead, Store *store)
{
    Arena arena = {0};
    const Judging *next;
    if (ahead == NULL || now_s() < ahead->looked_s + LOOK_S)
        return;
    ahead->looked_s = now_s();
    if (reap(ahead) == 0)
        return;
    Waiting waiting = {.items = arena_array(&arena, ahead->window, sizeof *waiting.items)};
    add_waiting(ahead, store, "offered", &arena, &waiting);
    add_waiting(ahead, store, "queued", &arena, &waiting);
    for (size_t i = 0; i < ahead->spec.processes; i++)
        if (ahead->items[i].pid == 0 && (next = next_of(ahead, &waiting)) != NULL)
            start(ahead, &ahead->items[i], store, next, &arena);
    note_newest(ahead, &waiting);
    arena_free(&arena);
}

void compile_ahead_stop(CompileAhead *ahead)
{
    if (ahead == NULL)
        return;
    for (size_t i = 0; i < ahead->spec.processes; i++)
        guard_stop(ahead->items[i].pid);
    for (size_t i = 0; i < ahead->spec.processes; i++)
        guard_stop_and_wait(ahead->items[i].pid);
    for (size_t i = 0; i < ahead->window; i++)
        forget_opinion(ahead, ahead->begun[i]);
    if (ahead->folder[0] != '\0')
        scratch_remove(ahead->folder);
    free(ahead->items);
    free(ahead->begun);
    free(ahead);
}
