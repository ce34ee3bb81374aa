#include "harness/session/session.h"
#include "base/allocated.h"
#include "base/clock.h"
#include "harness/control/control.h"
#include "harness/control/control_check.h"
#include "harness/device/monitor/device_lock.h"
#include "harness/session/runner_process.h"
#include "harness/sandbox/process.h"
#include "harness/protocol/ring.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* One broker serves one runner; both are replaced together, since what a submission leaves behind on a device, or in
 * the judge's own tables, must not meet the next one. */

enum { OPEN_SECONDS = 60, PAGE_BYTES = 4096 };

static const double LOCK_SECONDS = 3600; /* a class before a deadline is a long queue */

struct Session {
    char device[64]; /* as asked for; once the broker has said hello, the handle of the very device */
    pid_t broker;    /* 0: none */
    int control;
    bool greeted; /* the broker has said hello */
    bool open_asked, opened;
    double asked_s, open_seconds; /* when it was started; how long it took to have the device open */
    int lock;                     /* of a real device: held from its opening to the end of the session; -1: not held */
    SessionTell *tell;
    void *tell_context;
    DeviceInfo info;
    CallLimits limits;
    RunnerProcess runner; /* pid 0: none */
    RingMemory *ring;
    int buffer_memory; /* -1: none */
    uint8_t *buffers;
    size_t buffer_bytes;
    bool exchanged;     /* the broker has joined an exchange for them */
    int profile_memory; /* -1: none */
    ExecutionProfile *profile;
    bool is_watched; /* calls are, from now on */
    bool is_untimed;
    uint8_t uninitialised_byte; /* session_set_uninitialised_byte() */
};

/* ---- the broker's process ---------------------------------------------------------------------------------------- */

static Status broker_start(Session *session, Message *why)
{
    session->asked_s = now_s();
    Status status = control_start("broker", session->device, &session->broker, &session->control, why);
    session->greeted = session->open_asked = session->opened = false;
    if (status != STATUS_OK)
        session->broker = 0;
    return status;
}

static void broker_stop(Session *session)
{
    if (session->broker == 0)
        return;
    close(session->control);
    process_kill(session->broker, NULL);
    session->broker = 0;
}

static void runner_stop(Session *session, int *exit_status)
{
    runner_process_stop(&session->runner, exit_status);
    ring_unmap(session->ring);
    session->ring = NULL;
}

static Status broker_lost(Message *why)
{
    return fail(STATUS_SYSTEM, why, "the broker, the judge's process that owns the device, ended unexpectedly");
}

static Status send_request(Session *session, const ControlRequest *request, const int *descriptors, size_t count,
                           Message *why)
{
    bool sent = control_send(session->control, request, sizeof *request, NULL, 0, descriptors, count);
    return sent ? STATUS_OK : broker_lost(why);
}

/* The next answer of a broker that is still without a runner; its device is kept. */
static Status await_device(Session *session, const char *doing, Message *why)
{
    struct pollfd control = {.fd = session->control, .events = POLLIN};
    int descriptors[CONTROL_MAX_DESCRIPTORS];
    ControlReply reply;
    if (poll(&control, 1, OPEN_SECONDS * 1000) != 1)
        return fail(STATUS_SYSTEM, why, "device '%s' did not %s within %d s", session->device, doing, OPEN_SECONDS);
    if (!control_receive(session->control, &reply, sizeof reply, NULL, 0, descriptors) ||
        !control_reply_is_valid(&reply))
        return broker_lost(why);
    if (reply.status != STATUS_OK)
        return fail(reply.status, why, "%s", reply.why.text);
    session->info = reply.device;
    return STATUS_OK;
}

static Status await_hello(Session *session, Message *why)
{
    if (session->greeted)
        return STATUS_OK;
    Status status = await_device(session, "answer", why);
    session->greeted = status == STATUS_OK;
    if (session->greeted)
        snprintf(session->device, sizeof session->device, "%s", session->info.handle);
    return status;
}

/* A real device is one grading's at a time. `patiently`: waits for it where another has it. */
static Status take_lock(Session *session, bool patiently, Message *why)
{
    if (session->lock >= 0 || session->info.modelled)
        return STATUS_OK;
    if (!patiently)
        return device_lock_try(session->info.uuid, &session->lock, why);
    return device_lock_wait(session->info.uuid, LOCK_SECONDS, session->tell, session->tell_context, &session->lock,
                            why);
}

static Status ask_to_open(Session *session, bool patiently, Message *why)
{
    const ControlRequest request = {.kind = CONTROL_OPEN};
    if (session->open_asked)
        return STATUS_OK;
    Status status = take_lock(session, patiently, why);
    if (status != STATUS_OK || (session->lock < 0 && !session->info.modelled))
        return status;
    session->open_asked = true;
    return send_request(session, &request, &session->lock, session->lock < 0 ? 0 : 1, why);
}

static Status await_open(Session *session, Message *why)
{
    Status status = await_hello(session, why);
    if (status == STATUS_OK && !session->opened)
        status = ask_to_open(session, true, why);
    if (status == STATUS_OK && !session->opened)
        status = await_device(session, "open", why);
    if (status == STATUS_OK && !session->opened)
        session->open_seconds = now_s() - session->asked_s;
    session->opened = status == STATUS_OK;
    return status;
}

double session_open_seconds(const Session *session)
{
    return session->open_seconds;
}

/* ---- waiting for the broker while a runner lives, or dies -------------------------------------------------------- */

typedef struct Wait {
    ControlReply reply;
    char printed[CONTROL_MAX_PRINTED]; /* by kernels */
    bool runner_ended;                 /* seen and told to the broker */
    bool timed_out;
} Wait;

static void tell_runner_gone(Session *session, Wait *wait)
{
    const ControlRequest gone = {.kind = CONTROL_RUNNER_GONE};
    wait->runner_ended = true;
    control_send(session->control, &gone, sizeof gone, NULL, 0, NULL, 0);
    ring_wake_broker(session->ring);
}

/* What the runner prints is taken all the while, so that it is never held up by a full pipe. */
static Status await_reply(Session *session, double seconds, Wait *wait, Message *why)
{
    double deadline = now_s() + seconds;
    int descriptors[CONTROL_MAX_DESCRIPTORS];
    for (;;) {
        struct pollfd events[] = {{.fd = session->control, .events = POLLIN},
                                  {.fd = session->runner.output, .events = POLLIN},
                                  {.fd = wait->runner_ended ? -1 : session->runner.ended, .events = POLLIN}};
        double left = deadline - now_s();
        wait->timed_out = left <= 0;
        if (wait->timed_out)
            return STATUS_OK;
        if (poll(events, 3, (int)(left * 1000) + 1) < 0 && errno != EINTR)
            return fail_errno(why, "poll");
        if (events[1].revents != 0)
            runner_process_drain(&session->runner);
        if (events[0].revents != 0)
            break;
        if (events[2].revents != 0)
            tell_runner_gone(session, wait);
    }
    if (!control_receive(session->control, &wait->reply, sizeof wait->reply, wait->printed, sizeof wait->printed,
                         descriptors) ||
        !control_reply_is_valid(&wait->reply))
        return broker_lost(why);
    runner_process_drain(&session->runner);
    return wait->reply.status == STATUS_OK ? STATUS_OK : fail(wait->reply.status, why, "%s", wait->reply.why.text);
}

/* ---- what becomes of it ------------------------------------------------------------------------------------------ */

static void explain_time_out(const Session *session, const char *doing, CallReport *report)
{
    report->outcome = CALL_TIME_LIMIT;
    snprintf(report->text, sizeof report->text, "%s took longer than %g s", doing, session->limits.wall_seconds);
}

static void explain_gone(const Session *session, int exit_status, bool memory_refused, const char *doing,
                         CallReport *report)
{
    report->outcome = memory_refused ? CALL_MEMORY_LIMIT : CALL_RUN_TIME_ERROR;
    if (memory_refused)
        snprintf(report->text, sizeof report->text, "the host code asked for more memory than its limit of %zu MiB",
                 session->limits.host_bytes >> 20);
    else
        runner_process_explain_end(exit_status, doing, report->text, sizeof report->text);
}

static void explain(Session *session, Wait *wait, const char *doing, CallReport *report)
{
    Text printed = {0};
    uint64_t lost = 0;
    int exit_status = 0;
    runner_process_take_printed(&session->runner, &printed, &lost);
    *report = (CallReport){.kernel_wrote_output = -1};
    if (!wait->timed_out) {
        *report = wait->reply.report;
        text_add_printable(&printed, wait->printed, wait->reply.printed_bytes);
    }
    report->printed = printed;
    report->printed_lost = lost;
    if (wait->timed_out)
        explain_time_out(session, doing, report);
    if (wait->timed_out || wait->reply.runner_gone || report->outcome != CALL_OK) {
        runner_stop(session, &exit_status);
        broker_stop(session);
    }
    if (!wait->timed_out && wait->reply.runner_gone)
        explain_gone(session, exit_status, wait->reply.host_memory_refused, doing, report);
}

/* Sends the request (NULL: it is sent already), waits for its end and fills in the report. After the judge's own
 * trouble nothing is left running. */
static Status run(Session *session, const ControlRequest *request, const char *doing, CallReport *report, Message *why)
{
    Wait *wait = allocated(calloc(1, sizeof *wait));
    Status status = request == NULL ? STATUS_OK : send_request(session, request, NULL, 0, why);
    if (status == STATUS_OK)
        status = await_reply(session, session->limits.wall_seconds, wait, why);
    if (status == STATUS_OK) {
        explain(session, wait, doing, report);
    } else {
        runner_stop(session, NULL);
        broker_stop(session);
    }
    free(wait);
    return status;
}

/* ---- loading ----------------------------------------------------------------------------------------------------- */

static Status shared_memory(const char *name, size_t bytes, int *descriptor, uint8_t **memory, Message *why)
{
    *memory = NULL;
    *descriptor = memfd_create(name, MFD_CLOEXEC);
    if (*descriptor < 0)
        return fail_errno(why, "shared memory");
    void *mapped = ftruncate(*descriptor, (off_t)bytes) == 0
                       ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, *descriptor, 0)
                       : MAP_FAILED;
    if (mapped == MAP_FAILED) {
        Status status = fail_errno(why, "%zu bytes of shared memory", bytes);
        close(*descriptor);
        *descriptor = -1;
        return status;
    }
    *memory = mapped;
    return STATUS_OK;
}

/* Copies the modules into memory shared with the broker, and their places into the request. */
static Status share_modules(const Compiled *compiled, ControlRequest *request, int *descriptor, Message *why)
{
    size_t bytes = 1; /* a submission may have none */
    uint8_t *memory;
    if (compiled->module_count > CONTROL_MAX_MODULES)
        return fail(STATUS_UNSUPPORTED, why, "%zu modules of GPU code, at most %d", compiled->module_count,
                    CONTROL_MAX_MODULES);
    for (size_t i = 0; i < compiled->module_count; i++) {
        request->modules[i] = (ControlSpan){.offset = bytes, .bytes = compiled->modules[i].bytes};
        bytes += compiled->modules[i].bytes;
    }
    Status status = shared_memory("modules", bytes, descriptor, &memory, why);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < compiled->module_count; i++)
        memcpy(memory + request->modules[i].offset, compiled->modules[i].image, compiled->modules[i].bytes);
    munmap(memory, bytes);
    request->module_count = (uint32_t)compiled->module_count;
    request->memory_bytes = bytes;
    return STATUS_OK;
}

/* Gives the broker its end of a fresh ring and the modules, and starts a runner at the other end. */
static Status start_runner(Session *session, const Compiled *compiled, int ring, Message *why)
{
    ControlRequest request = {.kind = CONTROL_LOAD, .limits = session->limits};
    int modules = -1;
    session->ring = ring_map(ring);
    Status status = session->ring == NULL ? fail_errno(why, "the ring") : STATUS_OK;
    if (status == STATUS_OK)
        status = share_modules(compiled, &request, &modules, why);
    if (status == STATUS_OK)
        status = send_request(session, &request, (const int[]){ring, modules}, 2, why);
    if (modules >= 0)
        close(modules);
    return status == STATUS_OK
               ? runner_process_start(compiled->object_path, ring, &session->limits, &session->runner, why)
               : status;
}

static Status send_buffers(Session *session, Message *why)
{
    const ControlRequest request = {.kind = CONTROL_BUFFERS, .memory_bytes = session->buffer_bytes};
    return send_request(session, &request, &session->buffer_memory, 1, why);
}

static Status send_profile(Session *session, Message *why)
{
    const ControlRequest request = {.kind = CONTROL_PROFILE, .memory_bytes = sizeof *session->profile};
    return send_request(session, &request, &session->profile_memory, 1, why);
}

/* A broker that has met a runner is replaced; one that was started ahead of time is used. */
static Status renew_broker(Session *session, Message *why)
{
    bool used = session->ring != NULL;
    session->exchanged = false;
    runner_stop(session, NULL);
    if (used)
        broker_stop(session);
    Status status = session->broker == 0 ? broker_start(session, why) : STATUS_OK;
    if (status == STATUS_OK)
        status = await_open(session, why);
    if (status == STATUS_OK && session->buffers != NULL)
        status = send_buffers(session, why);
    if (status == STATUS_OK && session->profile != NULL)
        status = send_profile(session, why);
    return status;
}

Status session_load(Session *session, const Compiled *compiled, const CallLimits *limits, CallReport *report,
                    Message *why)
{
    *report = (CallReport){.kernel_wrote_output = -1};
    Status status = renew_broker(session, why);
    if (status != STATUS_OK)
        return status;
    session->limits = *limits;
    int ring = ring_create();
    status = ring < 0 ? fail_errno(why, "the ring") : start_runner(session, compiled, ring, why);
    if (ring >= 0)
        close(ring);
    if (status == STATUS_OK)
        return run(session, NULL, "a constructor", report, why);
    runner_stop(session, NULL);
    broker_stop(session);
    return status;
}

/* ---- buffers and calls ------------------------------------------------------------------------------------------- */

static void drop_buffers(Session *session)
{
    if (session->buffers == NULL)
        return;
    munmap(session->buffers, session->buffer_bytes);
    close(session->buffer_memory);
    session->buffers = NULL;
}

static bool is_array(const SessionArgument *argument)
{
    return argument->role != ARGUMENT_VALUE;
}

static size_t in_pages(size_t bytes)
{
    return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

Status session_buffers(Session *session, SessionArgument *arguments, size_t count, Message *why)
{
    size_t bytes = 0;
    session->exchanged = false;
    drop_buffers(session);
    for (size_t i = 0; i < count; i++)
        if (is_array(&arguments[i]))
            bytes += in_pages(arguments[i].bytes);
    if (count > CALL_MAX_PARAMETERS || bytes == 0)
        return fail(STATUS_BAD_INPUT, why, "a call with %zu parameters and %zu bytes of arrays", count, bytes);
    Status status = shared_memory("arrays", bytes, &session->buffer_memory, &session->buffers, why);
    if (status != STATUS_OK)
        return status;
    session->buffer_bytes = bytes;
    for (size_t i = 0, offset = 0; i < count; i++) {
        arguments[i].data = is_array(&arguments[i]) ? session->buffers + offset : NULL;
        offset += is_array(&arguments[i]) ? in_pages(arguments[i].bytes) : 0;
    }
    if (session->broker == 0) /* session_load() will */
        return STATUS_OK;
    status = await_open(session, why);
    return status == STATUS_OK ? send_buffers(session, why) : status;
}

/* False where an array lies outside the buffers: it was made by another session_buffers(). */
static bool describe_call(const Session *session, const SessionArgument *arguments, size_t count,
                          ControlRequest *request)
{
    request->argument_count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        const SessionArgument *argument = &arguments[i];
        request->arguments[i] = (ControlArgument){.role = argument->role,
                                                  .value = argument->value,
                                                  .float_output = argument->float_output,
                                                  .probed = argument->probed,
                                                  .element_bytes = argument->element_bytes};
        snprintf(request->arguments[i].name, sizeof request->arguments[i].name, "%s",
                 argument->name == NULL ? "" : argument->name);
        if (!is_array(argument))
            continue;
        size_t offset = (size_t)((const uint8_t *)argument->data - session->buffers);
        if (offset > session->buffer_bytes || argument->bytes > session->buffer_bytes - offset)
            return false;
        request->arguments[i].span = (ControlSpan){.offset = offset, .bytes = argument->bytes};
    }
    return true;
}

Status session_call(Session *session, SessionArgument *arguments, size_t count, bool check_inputs, CallReport *report,
                    Message *why)
{
    ControlRequest request = {.kind = CONTROL_CALL,
                              .check_inputs = check_inputs && !session->exchanged,
                              .exchanged = session->exchanged,
                              .is_watched = session->is_watched,
                              .is_untimed = session->is_untimed,
                              .uninitialised_byte = session->uninitialised_byte};
    *report = (CallReport){.kernel_wrote_output = -1};
    if (session->runner.pid == 0)
        return fail(STATUS_BAD_INPUT, why, "session_call() without a runner: session_load() comes first");
    if (session->buffers == NULL || count > CALL_MAX_PARAMETERS || !describe_call(session, arguments, count, &request))
        return fail(STATUS_BAD_INPUT, why, "session_call() with arrays that are not session_buffers()'s");
    return run(session, &request, "solve()", report, why);
}

Status session_exchange(Session *session, int descriptor, Message *why)
{
    const ControlRequest request = {.kind = CONTROL_EXCHANGE, .memory_bytes = session->buffer_bytes};
    int descriptors[CONTROL_MAX_DESCRIPTORS];
    ControlReply reply;
    Status status = send_request(session, &request, &descriptor, 1, why);
    if (status != STATUS_OK)
        return status;
    if (!control_receive(session->control, &reply, sizeof reply, NULL, 0, descriptors) ||
        !control_reply_is_valid(&reply))
        return broker_lost(why);
    session->exchanged = reply.status == STATUS_OK;
    return session->exchanged ? STATUS_OK : fail(reply.status, why, "%s", reply.why.text);
}

Status session_profile(Session *session, const ExecutionProfile **profile, Message *why)
{
    uint8_t *memory;
    Status status = STATUS_OK;
    if (session->profile == NULL) {
        status = shared_memory("profile", sizeof *session->profile, &session->profile_memory, &memory, why);
        session->profile = (ExecutionProfile *)memory;
        if (status == STATUS_OK && session->broker != 0) /* else session_load() will */
            status = await_open(session, why);
        if (status == STATUS_OK && session->broker != 0)
            status = send_profile(session, why);
    }
    *profile = session->profile;
    return status;
}

/* ---- beginning and end ------------------------------------------------------------------------------------------- */

Status session_start(const char *device, Session **session, Message *why)
{
    Session *started = allocated(calloc(1, sizeof *started));
    started->runner = (RunnerProcess){.ended = -1, .output = -1};
    started->buffer_memory = started->profile_memory = started->lock = -1;
    snprintf(started->device, sizeof started->device, "%s", device);
    Status status = broker_start(started, why);
    if (status != STATUS_OK)
        free(started);
    else
        *session = started;
    return status;
}

void session_on_wait(Session *session, SessionTell *tell, void *context)
{
    session->tell = tell;
    session->tell_context = context;
}

/* It is opened right away where nobody else has it, in the background. */
Status session_device(Session *session, DeviceInfo *info, Message *why)
{
    Status status = session->broker == 0 && !session->greeted ? broker_start(session, why) : STATUS_OK;
    if (status == STATUS_OK)
        status = await_hello(session, why);
    *info = session->info;
    return status == STATUS_OK && session->broker != 0 ? ask_to_open(session, false, why) : status;
}

void session_watch(Session *session, bool is_watched)
{
    session->is_watched = is_watched;
}

void session_time(Session *session, bool is_timed)
{
    session->is_untimed = !is_timed;
}

void session_set_uninitialised_byte(Session *session, uint8_t byte)
{
    session->uninitialised_byte = byte;
}

pid_t session_broker(const Session *session)
{
    return session->broker;
}

int session_memory(const Session *session, const uint8_t **base, size_t *bytes)
{
    *base = session->buffers;
    *bytes = session->buffer_bytes;
    return session->buffer_memory;
}

void session_close(Session *session)
{
    if (session == NULL)
        return;
    runner_stop(session, NULL);
    broker_stop(session);
    drop_buffers(session);
    if (session->profile != NULL) {
        munmap(session->profile, sizeof *session->profile);
        close(session->profile_memory);
    }
    if (session->lock >= 0)
        close(session->lock);
    free(session);
}
