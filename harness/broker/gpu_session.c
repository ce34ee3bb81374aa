/* This file is long because the two processes of a session, what they are asked and what becomes of them share one struct. */
#include "harness/broker/gpu_session.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/compile_cache.h"
#include "base/process.h"
#include "base/scratch.h"
#include "harness/broker/runner_process.h"
#include "harness/broker/session.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ==== broker reserve ============================================================================================== */

/* Device memory reserved for each broker. A context with what the judge allocates needs 0.6 GiB of an NVIDIA H200. */
static const uint64_t BYTES_FOR_EACH = 4ull << 30;

static size_t lower(size_t a, size_t b)
{
    return a < b ? a : b;
}

void broker_reserve_fill(BrokerReserve *reserve, const BrokerProcess *first, size_t count)
{
    Message ignored;
    const size_t most = lower(BROKER_RESERVE_MOST, (size_t)(first->info.memory_bytes / BYTES_FOR_EACH));
    while (reserve->count < lower(count, most)) {
        BrokerProcess *broker = &reserve->brokers[reserve->count];
        *broker = *first;
        if (broker_process_start(broker, &ignored) != STATUS_OK)
            return;
        reserve->count++;
        if (broker_process_ask_to_open(broker, &ignored) != STATUS_OK)
            return; /* it is found out when it is awaited */
    }
}

void broker_reserve_await(BrokerReserve *reserve)
{
    Message ignored;
    for (size_t i = reserve->open; i < reserve->count; i++)
        if (broker_process_open(&reserve->brokers[i], &ignored) == STATUS_OK)
            reserve->brokers[reserve->open++] = reserve->brokers[i];
        else
            broker_process_stop(&reserve->brokers[i]);
    reserve->count = reserve->open;
}

bool broker_reserve_take(BrokerReserve *reserve, BrokerProcess *used)
{
    const double start_s = now_s();
    broker_reserve_await(reserve);
    if (reserve->count == 0)
        return false;
    broker_process_stop(used);
    *used = reserve->brokers[--reserve->count];
    reserve->open = reserve->count;
    used->open_seconds = now_s() - start_s;
    return true;
}

size_t broker_reserve_list(const BrokerReserve *reserve, pid_t *pids, size_t room)
{
    const size_t count = lower(reserve->count, room);
    for (size_t i = 0; i < count; i++)
        pids[i] = reserve->brokers[i].pid;
    return count;
}

void broker_reserve_stop(BrokerReserve *reserve)
{
    for (size_t i = 0; i < reserve->count; i++)
        process_begin_kill(reserve->brokers[i].pid);
    for (size_t i = 0; i < reserve->count; i++)
        broker_process_stop(&reserve->brokers[i]);
    reserve->count = reserve->open = 0;
}

/* ==== broker process ============================================================================================== */

enum { OPEN_SECONDS = 60, COMPILE_SECONDS = 30 };

/* A broker's first process learns a moment later than the grader how the second one has ended. */
static const double LOST_SECONDS = 0.2;

static const double LOCK_SECONDS = 3600; /* a class before a deadline is a long queue */

/* A worker of the service has a device of its own and does not wait for long. */
static double lock_seconds(void)
{
    const char *text = getenv("CONVJUDGE_LOCK_SECONDS");
    const double chosen = text == NULL ? 0 : strtod(text, NULL);
    return chosen > 0 && chosen < LOCK_SECONDS ? chosen : LOCK_SECONDS;
}

BrokerProcess broker_process_new(const char *device)
{
    BrokerProcess broker = {.lock = -1};
    snprintf(broker.device, sizeof broker.device, "%s", device);
    return broker;
}

Status broker_process_start(BrokerProcess *broker, Message *why)
{
    broker->started_s = now_s();
    broker->greeted = broker->open_asked = broker->opened = broker->is_compiling = false;
    Status status = control_start("broker", broker->device, &broker->pid, &broker->control, why);
    if (status != STATUS_OK)
        broker->pid = 0;
    return status;
}

/* False: it does not end within so many seconds. It stays a zombie. */
static bool has_ended(const BrokerProcess *broker, double seconds, siginfo_t *ended)
{
    enum { PAUSE_MS = 2 };
    const double until_s = now_s() + seconds;
    *ended = (siginfo_t){0};
    while (waitid(P_PID, (id_t)broker->pid, ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended->si_pid == 0 &&
           now_s() < until_s)
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_MS * 1000000l}, NULL);
    return ended->si_pid != 0;
}

/* What it still compiles would be compiled again in the next grading, and in each one after that. */
void broker_process_stop(BrokerProcess *broker)
{
    siginfo_t ended;
    if (broker->pid == 0)
        return;
    close(broker->control);
    if (broker->is_compiling)
        (void)has_ended(broker, COMPILE_SECONDS, &ended);
    process_kill(broker->pid, NULL);
    broker->pid = 0;
}

/* Stops it, if it runs, and starts another, which looks for the device while this one lets go of it. */
static Status broker_process_replace(BrokerProcess *broker, Message *why)
{
    BrokerProcess used = *broker;
    Status status = broker_process_start(broker, why);
    broker_process_stop(&used);
    return status;
}

/* Stops one that no longer answers. True if it had reached its limit on memory. */
static bool broker_process_stop_lost(BrokerProcess *broker)
{
    siginfo_t ended;
    int exit_status = 0;
    if (broker->pid == 0)
        return false;
    (void)has_ended(broker, LOST_SECONDS, &ended);
    close(broker->control);
    process_kill(broker->pid, &exit_status);
    broker->pid = 0;
    return exit_status == CONTROL_OUT_OF_MEMORY;
}

void broker_process_end(BrokerProcess *broker)
{
    broker_process_stop(broker);
    compile_cache_sweep(NULL); /* what a lost broker had under way */
    if (broker->lock >= 0)
        close(broker->lock);
    broker->lock = -1;
}

/* ---- requests and replies ---------------------------------------------------------------------------------------- */

static Status is_lost(const BrokerProcess *broker, Message *why)
{
    siginfo_t ended;
    if (broker->pid == 0 || !has_ended(broker, LOST_SECONDS, &ended))
        return fail(STATUS_SYSTEM, why,
                    "the broker, the judge's process that owns the device, does not answer as agreed");
    return fail(STATUS_SYSTEM, why,
                "the broker, the judge's process that owns the device, ended unexpectedly (exit status %d)",
                ended.si_code == CLD_EXITED ? ended.si_status : 128 + ended.si_status);
}

Status broker_process_send(const BrokerProcess *broker, const ControlRequest *request, const int *descriptors,
                           size_t count, Message *why)
{
    return control_send(broker->control, request, sizeof *request, NULL, 0, descriptors, count) ? STATUS_OK
                                                                                                : is_lost(broker, why);
}

Status broker_process_receive(BrokerProcess *broker, ControlReply *reply, void *more, size_t more_size, Message *why)
{
    int descriptors[CONTROL_MAX_DESCRIPTORS];
    if (!control_receive(broker->control, reply, sizeof *reply, more, more_size, descriptors) ||
        !control_reply_is_valid(reply))
        return is_lost(broker, why);
    broker->is_compiling = reply->is_compiling;
    return reply->status == STATUS_OK ? STATUS_OK : fail(reply->status, why, "%s", reply->why.text);
}

/* ---- its device -------------------------------------------------------------------------------------------------- */

static bool has_answered(const BrokerProcess *broker)
{
    struct pollfd control = {.fd = broker->control, .events = POLLIN};
    ProcessDeadline deadline = process_deadline(OPEN_SECONDS, INFINITY, process_times(broker->pid));
    do
        if (poll(&control, 1, (int)(process_deadline_left(&deadline) * 1000) + 1) == 1)
            return true;
    while (process_deadline_look(&deadline, process_times(broker->pid)) == DEADLINE_AHEAD);
    return false;
}

static Status await_device(BrokerProcess *broker, const char *doing, Message *why)
{
    ControlReply reply;
    if (!has_answered(broker))
        return fail(STATUS_SYSTEM, why, "device '%s' did not %s within %d s", broker->device, doing, OPEN_SECONDS);
    TRY(broker_process_receive(broker, &reply, NULL, 0, why));
    broker->info = reply.device;
    return STATUS_OK;
}

Status broker_process_hello(BrokerProcess *broker, Message *why)
{
    if (broker->greeted)
        return STATUS_OK;
    Status status = await_device(broker, "answer", why);
    broker->greeted = status == STATUS_OK;
    if (!broker->greeted)
        return status;
    const bool searched = strcmp(broker->device, "auto") == 0;
    snprintf(broker->device, sizeof broker->device, "%s", broker->info.handle);
    /* It looked for a GPU with all files open (broker_confine.h). One that knows the GPU does not. */
    return searched && !broker->info.modelled ? broker_process_replace(broker, why) : STATUS_OK;
}

/* A real device serves one grading at a time. `wait`: waits while another one has it. */
static Status take_lock(BrokerProcess *broker, bool wait, Message *why)
{
    if (broker->lock >= 0 || broker->info.modelled)
        return STATUS_OK;
    if (!wait)
        return device_lock_try(broker->info.uuid, &broker->lock, why);
    return device_lock_wait(broker->info.uuid, lock_seconds(), broker->tell, broker->tell_context, &broker->lock, why);
}

static Status ask_to_open(BrokerProcess *broker, bool wait, Message *why)
{
    const ControlRequest request = {.kind = CONTROL_OPEN};
    if (broker->open_asked)
        return STATUS_OK;
    Status status = take_lock(broker, wait, why);
    if (status != STATUS_OK || (broker->lock < 0 && !broker->info.modelled))
        return status;
    broker->open_asked = true;
    return broker_process_send(broker, &request, &broker->lock, broker->lock < 0 ? 0 : 1, why);
}

Status broker_process_ask_to_open(BrokerProcess *broker, Message *why)
{
    return ask_to_open(broker, false, why);
}

Status broker_process_open(BrokerProcess *broker, Message *why)
{
    Status status = broker_process_hello(broker, why);
    if (status != STATUS_OK || broker->opened)
        return status;
    status = ask_to_open(broker, true, why);
    THEN(status, await_device(broker, "open", why));
    broker->opened = status == STATUS_OK;
    if (broker->opened)
        broker->open_seconds = now_s() - broker->started_s;
    return status;
}

/* ==== gpu session ================================================================================================= */

/* Sessions with CUDA submissions: a broker owns the device, a sandboxed runner holds the submission's
 * host code, and a ring in shared memory (harness/protocol/ring.h) takes its CUDA calls to the broker.
 *
 * One broker serves one runner, and both are replaced together: what a submission leaves behind on a device, or in the
 * tables of a broker, must not meet the next runner. */

typedef struct GpuSession {
    Session base;
    BrokerProcess broker;
    BrokerReserve reserve; /* for loads to come */
    RunnerProcess runner;
    int host_clock;    /* of the runner (control.h); -1: none */
    bool is_loading;   /* the runner has begun to load the object, or is past that: the broker has asked for the time */
    RingMemory *ring;  /* of the runner; NULL: none has been started */
    RunnerFault fault; /* of the last runner */
    char object_path[PATH_MAX];
    uint32_t last_place; /* whose line in that object was asked for last: */
    int last_line;
    CallLimits limits;
    SharedMemory buffers;
    bool exchanged;       /* the broker has joined an exchange for the buffers */
    SharedMemory profile; /* an ExecutionProfile */
} GpuSession;

static GpuSession *gpu_of(Session *session)
{
    return (GpuSession *)session;
}

static const GpuSession *gpu_of_const(const Session *session)
{
    return (const GpuSession *)session;
}

static void stop_runner(GpuSession *gpu, int *exit_status)
{
    runner_process_stop(&gpu->runner, exit_status);
    if (gpu->ring != NULL)
        gpu->fault = runner_process_fault(gpu->ring);
    ring_unmap(gpu->ring);
    gpu->ring = NULL;
    if (gpu->host_clock >= 0)
        close(gpu->host_clock);
    gpu->host_clock = -1;
}

static void stop_both(GpuSession *gpu, int *exit_status)
{
    stop_runner(gpu, exit_status);
    broker_process_stop(&gpu->broker);
}

/* ---- waiting for the broker while a runner lives, or ends -------------------------------------------------------- */

typedef struct CallWait {
    ControlReply reply;
    char printed[CONTROL_MAX_PRINTED]; /* by kernels */
    bool runner_ended;                 /* this process has seen it and told the broker */
    bool timed_out;
} CallWait;

/* A broker that is gone as well shows it by its next reply. */
static void tell_runner_gone(GpuSession *gpu, CallWait *wait)
{
    const ControlRequest gone = {.kind = CONTROL_RUNNER_GONE};
    wait->runner_ended = true;
    if (broker_process_send(&gpu->broker, &gone, NULL, 0, NULL) == STATUS_OK)
        ring_wake_broker(gpu->ring);
}

static void answer_clock(GpuSession *gpu)
{
    HostQuestion question;
    gpu->is_loading = true;
    if (host_clock_question(gpu->host_clock, &question)) {
        HostClock clock = runner_process_clock(&gpu->runner, question);
        if (question == HOST_ALL)
            clock.judge_delayed_s = process_times(gpu->broker.pid).delayed_s;
        if (host_clock_answer(gpu->host_clock, clock))
            return;
    }
    close(gpu->host_clock);
    gpu->host_clock = -1;
}

/* On a simulated GPU, everything computes on the host's cores. */
static ProcessTimes times_of_both(const GpuSession *gpu)
{
    const ProcessTimes broker = process_times(gpu->broker.pid), runner = process_times(gpu->runner.pid);
    return (ProcessTimes){.computed_s = broker.computed_s + runner.computed_s,
                          .delayed_s = broker.delayed_s + runner.delayed_s,
                          .is_runnable = broker.is_runnable || runner.is_runnable};
}

/* The time is up. On a simulated GPU the broker has limits for all that a submission does, and where it does not answer, the
 * submission is not to blame. */
static Status look_at_deadline(const GpuSession *gpu, ProcessDeadline *deadline, CallWait *wait, Message *why)
{
    if (!gpu->broker.info.modelled) {
        wait->timed_out = true;
        return STATUS_OK;
    }
    switch (process_deadline_look(deadline, times_of_both(gpu))) {
    case DEADLINE_AHEAD: return STATUS_OK;
    case DEADLINE_STARVED: break;
    case DEADLINE_OVER:
        return fail(STATUS_SYSTEM, why,
                    "the broker, the judge's process that owns the device, has come to a standstill");
    }
    return process_deadline_starved(deadline, why);
}

/* Reads what the runner prints all the while, so that a full pipe never holds it up. */
static Status await_reply(GpuSession *gpu, double seconds, CallWait *wait, Message *why)
{
    /* Counts what both did before as well: reading that costs more than most calls do, and at worst a standstill is found
     * when a quarter of the time has passed once more. */
    ProcessDeadline deadline = process_deadline(seconds, INFINITY, (ProcessTimes){0});
    for (;;) {
        struct pollfd events[] = {{.fd = gpu->broker.control, .events = POLLIN},
                                  {.fd = gpu->runner.output, .events = POLLIN},
                                  {.fd = wait->runner_ended ? -1 : gpu->runner.ended, .events = POLLIN},
                                  {.fd = gpu->host_clock, .events = POLLIN}};
        Status status = process_deadline_left(&deadline) > 0 ? STATUS_OK : look_at_deadline(gpu, &deadline, wait, why);
        if (status != STATUS_OK || wait->timed_out)
            return status;
        if (poll(events, 4, (int)(process_deadline_left(&deadline) * 1000) + 1) < 0 && errno != EINTR)
            return fail_errno(why, "poll");
        if (events[1].revents != 0)
            runner_process_drain(&gpu->runner);
        if (events[3].revents != 0)
            answer_clock(gpu);
        if (events[0].revents != 0)
            break;
        if (events[2].revents != 0)
            tell_runner_gone(gpu, wait);
    }
    Status status = broker_process_receive(&gpu->broker, &wait->reply, wait->printed, sizeof wait->printed, why);
    runner_process_drain(&gpu->runner);
    return status;
}

/* ---- how a call ended -------------------------------------------------------------------------------------------- */

static void explain_time_out(const GpuSession *gpu, const char *doing, CallReport *report)
{
    report->outcome = CALL_TIME_LIMIT;
    report->mistake = (Mistake){.kind = MISTAKE_WALL_TIME};
    snprintf(report->text, sizeof report->text, "%s took longer than %g s", doing, gpu->limits.wall_seconds);
}

static void explain_runner_end(const GpuSession *gpu, int exit_status, bool memory_refused, const char *doing,
                               CallReport *report)
{
    report->outcome = memory_refused ? CALL_MEMORY_LIMIT : CALL_RUN_TIME_ERROR;
    report->mistake = (Mistake){.kind = memory_refused ? MISTAKE_HOST_MEMORY : MISTAKE_PROCESS_ENDED};
    if (memory_refused)
        snprintf(report->text, sizeof report->text, "the host code asked for more memory than its limit of %zu MiB",
                 gpu->limits.host_bytes >> 20);
    else
        runner_process_explain_fault(&gpu->fault, gpu->object_path, exit_status, doing, report);
}

/* The same call mostly fails in each case. */
static void find_line(GpuSession *gpu, CallError *error)
{
    if (error->place == 0)
        return;
    if (error->place != gpu->last_place)
        gpu->last_line = host_line(gpu->object_path, error->place - 1);
    gpu->last_place = error->place;
    error->mistake.line = gpu->last_line;
}

static void take_printed(GpuSession *gpu, const CallWait *wait, CallReport *report)
{
    report->printed = (Text){0};
    report->printed_lost = 0;
    runner_process_take_printed(&gpu->runner, &report->printed, &report->printed_lost);
    if (!wait->timed_out)
        text_add_printable(&report->printed, wait->printed, wait->reply.printed_bytes);
}

/* Says what the submission was doing, for a text. */
static const char *doing_of(const CallReport *report)
{
    return report->phase == PHASE_SOLVE ? "solve()" : "a constructor";
}

static Status take_reply(GpuSession *gpu, const CallWait *wait, CallPhase begun, CallReport *report, Message *why)
{
    int exit_status = 0;
    if (!wait->timed_out)
        *report = wait->reply.report;
    if (!wait->timed_out && wait->reply.device.handle[0] != '\0') /* of a load, for which it was calibrated */
        gpu->broker.info = wait->reply.device;
    take_printed(gpu, wait, report);
    if (!wait->timed_out) {
        find_line(gpu, &report->first_error);
        find_line(gpu, &report->not_provided);
    }
    if (wait->timed_out) {
        report->phase = begun == PHASE_LOADING && !gpu->is_loading ? PHASE_NONE : begun;
        explain_time_out(gpu, doing_of(report), report);
    }
    const bool is_unmade = (wait->timed_out || wait->reply.runner_gone) && report->phase == PHASE_NONE;
    if (wait->timed_out || wait->reply.runner_gone || report->outcome != CALL_OK)
        stop_both(gpu, &exit_status);
    if (exit_status == RUNNER_NOT_MADE || is_unmade)
        return fail(STATUS_SYSTEM, why, "the submission's sandbox could not be made: %.300s",
                    report->printed.data != NULL ? report->printed.data : "no reason given");
    if (!wait->timed_out && wait->reply.runner_gone)
        explain_runner_end(gpu, exit_status, wait->reply.host_memory_refused || exit_status == RUNNER_OUT_OF_MEMORY,
                           doing_of(report), report);
    return STATUS_OK;
}

static void add_budget(const GpuSession *gpu, ControlRequest *request)
{
    const CallBudget *budget = gpu->base.budget;
    if (budget == NULL)
        return;
    request->seconds_left = call_budget_seconds_left(budget);
    request->warp_instructions_left = call_budget_instructions_left(budget);
}

/* The broker ends a call for which the budget leaves too little time, unless it is waiting for the device itself. On a
 * simulated GPU kernels count by their instructions, and the broker ends what does nothing for `wall_seconds`. */
static double longest_wait(const GpuSession *gpu)
{
    static const double SLACK_S = 2; /* the judge's own copies count in no budget */
    const CallBudget *budget = gpu->base.budget;
    if (gpu->broker.info.modelled)
        return 2 * gpu->limits.wall_seconds;
    if (budget == NULL)
        return gpu->limits.wall_seconds;
    return fmin(gpu->limits.wall_seconds, call_budget_seconds_left(budget) + SLACK_S);
}

/* The broker is lost: a fault of the judge, unless what the submission asked it for took all memory that it may have. */
static Status explain_loss(GpuSession *gpu, Status status, CallReport *report)
{
    stop_runner(gpu, NULL);
    if (!broker_process_stop_lost(&gpu->broker))
        return status;
    *report = (CallReport){.outcome = CALL_MEMORY_LIMIT, .mistake = {.kind = MISTAKE_DEVICE_MEMORY}};
    snprintf(report->text, sizeof report->text,
             "what it asked the simulated GPU for took too much of the judge's memory");
    return STATUS_OK;
}

/* Waits for the end of a load or a call and fills in the report. After a fault of the judge nothing is left running. */
static Status await_end(GpuSession *gpu, CallPhase begun, CallReport *report, Message *why)
{
    CallWait *wait = allocated(calloc(1, sizeof *wait));
    double start_s = now_s();
    Status status = await_reply(gpu, longest_wait(gpu), wait, why);
    status = status == STATUS_OK ? take_reply(gpu, wait, begun, report, why) : explain_loss(gpu, status, report);
    if (status == STATUS_OK && wait->timed_out)
        report->spent_s = now_s() - start_s;
    free(wait);
    return status;
}

/* ---- loading ----------------------------------------------------------------------------------------------------- */

/* Gives the broker its end of a new ring and the modules, and starts a runner at the other end. */
static Status start_runner_on(GpuSession *gpu, const Compiled *compiled, int ring, Message *why)
{
    ControlRequest request = {.kind = CONTROL_LOAD, .limits = gpu->limits};
    SharedMemory modules = {0};
    int brokers_clock = -1;
    gpu->is_loading = false;
    add_budget(gpu, &request);
    gpu->ring = ring_map(ring);
    Status status = gpu->ring == NULL || !host_clock_new(&gpu->host_clock, &brokers_clock) ? fail_errno(why, "the ring")
                                                                                           : STATUS_OK;
    THEN(status, shared_modules_new(compiled, &request, &modules, why));
    THEN(status,
         broker_process_send(&gpu->broker, &request, (const int[]){ring, modules.descriptor, brokers_clock}, 3, why));
    if (brokers_clock >= 0)
        close(brokers_clock);
    shared_memory_free(&modules);
    return status == STATUS_OK ? runner_process_start(compiled->object_path, ring, &gpu->limits, &gpu->runner, why)
                               : status;
}

static Status start_runner(GpuSession *gpu, const Compiled *compiled, Message *why)
{
    int ring = ring_create();
    if (ring < 0)
        return fail_errno(why, "the ring");
    Status status = start_runner_on(gpu, compiled, ring, why);
    close(ring);
    return status;
}

static Status send_buffers(const GpuSession *gpu, Message *why)
{
    const ControlRequest request = {.kind = CONTROL_BUFFERS, .memory_bytes = gpu->buffers.bytes};
    return broker_process_send(&gpu->broker, &request, &gpu->buffers.descriptor, 1, why);
}

static Status send_profile(const GpuSession *gpu, Message *why)
{
    const ControlRequest request = {.kind = CONTROL_PROFILE, .memory_bytes = gpu->profile.bytes};
    return broker_process_send(&gpu->broker, &request, &gpu->profile.descriptor, 1, why);
}

/* Replaces a broker that has met a runner; one that was started ahead of time is used. */
static Status renew_broker(GpuSession *gpu, Message *why)
{
    const bool used = gpu->ring != NULL || gpu->broker.pid == 0;
    gpu->exchanged = false;
    stop_runner(gpu, NULL);
    Status status = STATUS_OK;
    if (used && !broker_reserve_take(&gpu->reserve, &gpu->broker))
        status = broker_process_replace(&gpu->broker, why);
    THEN(status, broker_process_open(&gpu->broker, why));
    broker_reserve_await(&gpu->reserve);
    if (status == STATUS_OK && gpu->buffers.base != NULL)
        status = send_buffers(gpu, why);
    if (status == STATUS_OK && gpu->profile.base != NULL)
        status = send_profile(gpu, why);
    return status;
}

static Status gpu_load(Session *session, const Compiled *compiled, const CallLimits *limits, CallReport *report,
                       Message *why)
{
    GpuSession *gpu = gpu_of(session);
    TRY(renew_broker(gpu, why));
    gpu->limits = *limits;
    snprintf(gpu->object_path, sizeof gpu->object_path, "%s", compiled->object_path);
    gpu->last_place = 0;
    Status status = start_runner(gpu, compiled, why);
    if (status != STATUS_OK) {
        stop_both(gpu, NULL);
        return status;
    }
    return await_end(gpu, PHASE_LOADING, report, why);
}

/* ---- buffers and calls ------------------------------------------------------------------------------------------- */

static Status gpu_buffers(Session *session, SessionArgument *arguments, size_t count, Message *why)
{
    GpuSession *gpu = gpu_of(session);
    size_t offsets[CALL_MAX_PARAMETERS];
    size_t bytes = count > CALL_MAX_PARAMETERS ? 0 : array_layout(arguments, count, 0, offsets);
    const bool fits = bytes > 0 && bytes <= gpu->buffers.bytes && !gpu->exchanged;
    gpu->exchanged = false;
    if (!fits)
        shared_memory_free(&gpu->buffers);
    if (bytes == 0)
        return fail(STATUS_BAD_INPUT, why, "a call with %zu parameters, none of them an array", count);
    TRY(fits ? STATUS_OK : shared_memory_new("arrays", bytes, &gpu->buffers, why));
    for (size_t i = 0; i < count; i++) {
        uint8_t *const data = argument_is_array(&arguments[i]) ? gpu->buffers.base + offsets[i] : NULL;
        arguments[i].data = data;
        arguments[i].result = argument_role_is_written(arguments[i].role)
                                  ? data + argument_result_offset(arguments[i].role, arguments[i].bytes)
                                  : NULL;
    }
    if (fits || gpu->broker.pid == 0) /* the broker has them, or session_load() sends them to the next one */
        return STATUS_OK;
    TRY(broker_process_open(&gpu->broker, why));
    return send_buffers(gpu, why);
}

/* False if an array lies outside the buffers: another session_buffers() has placed it. */
static bool describe_arguments(const GpuSession *gpu, const SessionArgument *arguments, size_t count,
                               ControlRequest *request)
{
    request->argument_count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        const SessionArgument *argument = &arguments[i];
        request->arguments[i] = (ControlArgument){.role = argument->role,
                                                  .value = argument->value,
                                                  .float_output = argument->float_output,
                                                  .poison_bits = argument->poison_bits,
                                                  .probed = argument->probed,
                                                  .element_bytes = argument->element_bytes};
        snprintf(request->arguments[i].name, sizeof request->arguments[i].name, "%s",
                 argument->name == NULL ? "" : argument->name);
        if (!argument_is_array(argument))
            continue;
        size_t offset = (size_t)((const uint8_t *)argument->data - gpu->buffers.base);
        if (offset > gpu->buffers.bytes ||
            argument->bytes + argument_result_offset(argument->role, argument->bytes) > gpu->buffers.bytes - offset)
            return false;
        request->arguments[i].span = (ControlSpan){.offset = offset, .bytes = argument->bytes};
    }
    return true;
}

static Status gpu_call(Session *session, SessionArgument *arguments, size_t count, const CallOptions *options,
                       CallReport *report, Message *why)
{
    GpuSession *gpu = gpu_of(session);
    ControlRequest request = {.kind = CONTROL_CALL,
                              .check_inputs = options->check_inputs && !gpu->exchanged,
                              .exchanged = gpu->exchanged,
                              .sanitize = options->sanitize,
                              .is_untimed = options->untimed,
                              .samples_blocks = options->samples_blocks,
                              .is_secret = options->is_secret,
                              .repeats_addresses = options->repeats_addresses,
                              .sample_key = options->sample_key,
                              .order = options->order,
                              .warp_instructions = options->warp_instructions,
                              .traced = options->traced,
                              .traced_output = options->traced_output,
                              .uninitialised_byte = options->uninitialised_byte};
    add_budget(gpu, &request);
    if (gpu->runner.pid == 0)
        return fail(STATUS_BAD_INPUT, why, "session_call() without a runner: session_load() comes first");
    if (gpu->buffers.base == NULL || count > CALL_MAX_PARAMETERS ||
        !describe_arguments(gpu, arguments, count, &request))
        return fail(STATUS_BAD_INPUT, why, "session_call() with arrays that session_buffers() did not place");
    Status status = broker_process_send(&gpu->broker, &request, NULL, 0, why);
    if (status == STATUS_OK)
        return await_end(gpu, PHASE_SOLVE, report, why);
    stop_both(gpu, NULL);
    return status;
}

/* ---- what only a device has -------------------------------------------------------------------------------------- */

static Status gpu_exchange(Session *session, int descriptor, Message *why)
{
    GpuSession *gpu = gpu_of(session);
    const ControlRequest request = {.kind = CONTROL_EXCHANGE, .memory_bytes = gpu->buffers.bytes};
    ControlReply reply;
    Status status = broker_process_send(&gpu->broker, &request, &descriptor, 1, why);
    THEN(status, broker_process_receive(&gpu->broker, &reply, NULL, 0, why));
    gpu->exchanged = status == STATUS_OK;
    return status;
}

static Status gpu_profile(Session *session, const ExecutionProfile **profile, Message *why)
{
    GpuSession *gpu = gpu_of(session);
    Status status = STATUS_OK;
    if (gpu->profile.base == NULL) {
        status = shared_memory_new("profile", sizeof **profile, &gpu->profile, why);
        if (status == STATUS_OK && gpu->broker.pid != 0) /* else session_load() sends it */
            status = broker_process_open(&gpu->broker, why);
        if (status == STATUS_OK && gpu->broker.pid != 0)
            status = send_profile(gpu, why);
    }
    *profile = (const ExecutionProfile *)gpu->profile.base;
    return status;
}

/* Opens the device in the background if nobody else has it. */
static Status gpu_device(Session *session, DeviceInfo *info, Message *why)
{
    BrokerProcess *broker = &gpu_of(session)->broker;
    Status status = broker->pid == 0 && !broker->greeted ? broker_process_start(broker, why) : STATUS_OK;
    THEN(status, broker_process_hello(broker, why));
    *info = broker->info;
    session->traits.clock = info->modelled ? SESSION_MODEL : SESSION_EVENTS;
    if (status == STATUS_OK && broker->pid != 0)
        status = broker_process_ask_to_open(broker, why);
    session->traits.has_device = broker->lock >= 0;
    return status;
}

static void gpu_on_wait(Session *session, WaitTell *tell, void *context)
{
    gpu_of(session)->broker.tell = tell;
    gpu_of(session)->broker.tell_context = context;
}

static void gpu_open_ahead(Session *session, size_t loads)
{
    GpuSession *gpu = gpu_of(session);
    if (session->traits.has_device)
        broker_reserve_fill(&gpu->reserve, &gpu->broker, loads);
}

static double gpu_open_seconds(const Session *session)
{
    return gpu_of_const(session)->broker.open_seconds;
}

static size_t gpu_brokers(const Session *session, pid_t *pids, size_t room)
{
    const GpuSession *gpu = gpu_of_const(session);
    size_t count = 0;
    if (gpu->broker.pid != 0 && count < room)
        pids[count++] = gpu->broker.pid;
    return count + broker_reserve_list(&gpu->reserve, pids + count, room - count);
}

static int gpu_memory(const Session *session, const uint8_t **base, size_t *bytes)
{
    const SharedMemory *buffers = &gpu_of_const(session)->buffers;
    *base = buffers->base;
    *bytes = buffers->bytes;
    return buffers->base == NULL ? -1 : buffers->descriptor;
}

/* ---- beginning and end ------------------------------------------------------------------------------------------- */

static void gpu_close(Session *session)
{
    GpuSession *gpu = gpu_of(session);
    stop_runner(gpu, NULL);
    broker_reserve_stop(&gpu->reserve);
    broker_process_end(&gpu->broker);
    shared_memory_free(&gpu->buffers);
    shared_memory_free(&gpu->profile);
    free(gpu);
}

static const SessionOps OPS = {
    .device = gpu_device,
    .load = gpu_load,
    .buffers = gpu_buffers,
    .call = gpu_call,
    .close = gpu_close,
    .on_wait = gpu_on_wait,
    .open_ahead = gpu_open_ahead,
    .open_seconds = gpu_open_seconds,
    .brokers = gpu_brokers,
    .memory = gpu_memory,
    .profile = gpu_profile,
    .exchange = gpu_exchange,
};

/* As session_open(), for a device as device_open() takes it. */
static MUST_USE Status gpu_session_open(const char *device, Session **session, Message *why)
{
    GpuSession *gpu = allocated(calloc(1, sizeof *gpu));
    gpu->base.ops = &OPS;
    gpu->broker = broker_process_new(device);
    gpu->runner = (RunnerProcess){.ended = -1, .output = -1};
    gpu->host_clock = -1;
    Status status = scratch_guard(why);
    THEN(status, broker_process_start(&gpu->broker, why));
    if (status != STATUS_OK)
        free(gpu);
    else
        *session = &gpu->base;
    return status;
}

/* ==== session open ================================================================================================ */

Status session_open(const char *device, Session **session, Message *why)
{
    return cpu_device_is_named(device) ? cpu_session_open(session, why) : gpu_session_open(device, session, why);
}
