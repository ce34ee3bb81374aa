#include "grader/authoring/mutant_trial.h"

#include "base/allocated.h"
#include "base/processors.h"
#include "grader/judge/judge.h"
#include "grader/problem/key_stream.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_WORKERS = 64 };

typedef struct TrialRequest {
    size_t file, mutant;
    Digest original; /* "": of no interest */
} TrialRequest;

typedef struct TrialWorker {
    pid_t process;
    int link; /* a socket: requests one way, outcomes the other */
    bool busy;
    TrialRequest asked;
} TrialWorker;

struct MutantTrial {
    const Problem *problem;
    const MutantPool *pool;
    const char *device;
    GeneratorKey secret;
    TrialWorker workers[MAX_WORKERS];
    size_t count;
};

/* ---- in a worker ------------------------------------------------------------------------------------------------- */

static void keep_result(const Result *result, const TrialRequest *request, TrialOutcome *outcome)
{
    const CaseResult *failed = result_failed_case(result);
    outcome->verdict = result->verdict;
    outcome->machine_code = result->compiled.machine_code;
    outcome->same_code = request->original.hex[0] != '\0' &&
                         strcmp(request->original.hex, outcome->machine_code.hex) == 0;
    outcome->by_timed_case = failed != NULL && failed->group == CASE_TIMED;
    snprintf(outcome->text, sizeof outcome->text, "%s", result->text);
}

static void judge_source(const MutantTrial *trial, const TrialRequest *request, const Text *source,
                         TrialOutcome *outcome)
{
    Submission submission = trial->pool->files[request->file].submission;
    Result result = {0};
    Message why = {0};
    submission.source = *source;
    submission.hash = hash_of_one(source->data, source->length);
    const JudgeJob job = {.problem = trial->problem,
                          .submission = &submission,
                          .secret = &trial->secret,
                          .device = trial->device,
                          .shows_durations = true,
                          .same_as = request->original.hex[0] == '\0' ? NULL : &request->original};
    outcome->status = judge_submission(&job, &result, &why);
    if (outcome->status == STATUS_OK)
        keep_result(&result, request, outcome);
    else
        snprintf(outcome->text, sizeof outcome->text, "%.*s", (int)sizeof outcome->text - 1, why.text);
    result_free(&result);
}

static void serve(const MutantTrial *trial, const TrialRequest *request, TrialOutcome *outcome)
{
    const Text *original = &trial->pool->files[request->file].submission.source;
    Text source = {0};
    *outcome = (TrialOutcome){0};
    if (request->mutant == TRIAL_ORIGINAL)
        text_add(&source, original->data);
    else
        mutant_source(original->data, trial->pool->items[request->mutant].mutant, &source);
    judge_source(trial, request, &source, outcome);
    text_free(&source);
}

/* Sockets of type SOCK_SEQPACKET keep the borders of messages, so one is received whole or not at all. */
static void work(const MutantTrial *trial, int link)
{
    TrialRequest request;
    TrialOutcome outcome;
    while (recv(link, &request, sizeof request, 0) == sizeof request) {
        serve(trial, &request, &outcome);
        if (send(link, &outcome, sizeof outcome, MSG_NOSIGNAL) != sizeof outcome)
            break;
    }
    _exit(0);
}

/* ---- workers ----------------------------------------------------------------------------------------------------- */

size_t mutant_trial_width(void)
{
    const size_t count = processors_usable();
    return count > MAX_WORKERS ? MAX_WORKERS : count;
}

/* `workers`: how many there will be. Each keeps to its own processors: the threads of 64 oracles and simulated GPUs with
 * 64 threads each would keep each other from working. */
static Status start_worker(MutantTrial *trial, size_t workers, Message *why)
{
    const pid_t parent = getpid();
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return fail_errno(why, "no socket for a worker that judges mutants");
    const pid_t child = fork();
    if (child == 0) {
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
            _exit(1);
        close(ends[0]);
        for (size_t i = 0; i < trial->count; i++)
            close(trial->workers[i].link);
        processors_keep_share(trial->count, workers);
        work(trial, ends[1]);
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return fail_errno(why, "no process for a worker that judges mutants");
    }
    trial->workers[trial->count++] = (TrialWorker){.process = child, .link = ends[0]};
    return STATUS_OK;
}

Status mutant_trial_start(const Problem *problem, const MutantPool *pool, const char *device, uint64_t seed,
                          size_t count, MutantTrial **trial, Message *why)
{
    MutantTrial *new = *trial = zeroed(1, sizeof **trial);
    Status status = STATUS_OK;
    new->problem = problem;
    new->pool = pool;
    new->device = device;
    (void)key_read(hash_of_one(&seed, sizeof seed).hex, &new->secret); /* a hash has as many digits as a key */
    fflush(NULL); /* otherwise a worker might write once more what is buffered */
    count = count < MAX_WORKERS ? count : MAX_WORKERS;
    while (status == STATUS_OK && new->count < count)
        status = start_worker(new, count, why);
    return status;
}

/* A worker that is judging is killed: its answer interests nobody any more. What it started dies with it. */
void mutant_trial_stop(MutantTrial *trial)
{
    if (trial == NULL)
        return;
    for (size_t i = 0; i < trial->count; i++) {
        if (trial->workers[i].busy)
            kill(trial->workers[i].process, SIGKILL);
        close(trial->workers[i].link);
    }
    for (size_t i = 0; i < trial->count; i++)
        while (waitpid(trial->workers[i].process, NULL, 0) < 0 && errno == EINTR)
            ;
    free(trial);
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static TrialWorker *free_worker(const MutantTrial *trial)
{
    for (size_t i = 0; i < trial->count; i++)
        if (!trial->workers[i].busy)
            return (TrialWorker *)&trial->workers[i];
    return NULL;
}

bool mutant_trial_is_free(const MutantTrial *trial)
{
    return free_worker(trial) != NULL;
}

Status mutant_trial_ask(MutantTrial *trial, size_t file, size_t mutant, const Digest *original, Message *why)
{
    TrialWorker *worker = free_worker(trial);
    worker->asked = (TrialRequest){.file = file, .mutant = mutant, .original = *original};
    worker->busy = true;
    if (send(worker->link, &worker->asked, sizeof worker->asked, MSG_NOSIGNAL) != sizeof worker->asked)
        return fail_errno(why, "a worker that judges mutants has ended");
    return STATUS_OK;
}

/* The first worker whose answer is there; NULL: nobody has been asked. */
static TrialWorker *answering_worker(MutantTrial *trial)
{
    struct pollfd links[MAX_WORKERS];
    size_t asked = 0;
    for (size_t i = 0; i < trial->count; i++) {
        links[i] = (struct pollfd){.fd = trial->workers[i].busy ? trial->workers[i].link : -1, .events = POLLIN};
        asked += trial->workers[i].busy;
    }
    while (asked > 0) {
        if (poll(links, trial->count, -1) <= 0)
            continue;
        for (size_t i = 0; i < trial->count; i++)
            if (links[i].revents != 0)
                return &trial->workers[i];
    }
    return NULL;
}

Status mutant_trial_wait(MutantTrial *trial, TrialDone *done, bool *answered, Message *why)
{
    TrialWorker *worker = answering_worker(trial);
    *answered = worker != NULL;
    if (worker == NULL)
        return STATUS_OK;
    *done = (TrialDone){.file = worker->asked.file, .mutant = worker->asked.mutant};
    if (recv(worker->link, &done->outcome, sizeof done->outcome, 0) != sizeof done->outcome)
        return fail(STATUS_SYSTEM, why, "a worker that judges mutants has ended without an answer");
    worker->busy = false;
    return STATUS_OK;
}
