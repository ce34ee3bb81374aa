#include "harness/session/cpu_session.h"

#include "base/allocated.h"
#include "base/clock.h"
#include "harness/protocol/cpu_memory.h"
#include "harness/session/runner_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* How long the judge sleeps before it looks whether the process still lives and has printed something. */
static const double LOOK_S = 0.01;

struct CpuSession {
    CallLimits limits;
    SessionArgument arguments[CALL_MAX_PARAMETERS]; /* `data`: the judge's copies, this session's */
    size_t count;
    CpuMemory *memory;
    size_t memory_bytes;
    RunnerProcess runner;
};

static bool is_array(const SessionArgument *argument)
{
    return argument->role != ARGUMENT_VALUE;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static size_t in_pages(size_t bytes)
{
    return (bytes + CPU_PAGE_BYTES - 1) / CPU_PAGE_BYTES * CPU_PAGE_BYTES;
}

/* Of array `i` in the shared memory; of the one behind the last, the memory's size. */
static size_t offset_of(const CpuSession *session, size_t i)
{
    size_t offset = CPU_PAGE_BYTES;
    for (size_t before = 0; before < i; before++)
        offset += is_array(&session->arguments[before]) ? in_pages(session->arguments[before].bytes) : 0;
    return offset;
}

static uint8_t *shared_array(const CpuSession *session, size_t i)
{
    return (uint8_t *)session->memory + offset_of(session, i);
}

static Status own_copies(CpuSession *session, SessionArgument *arguments, Message *why)
{
    for (size_t i = 0; i < session->count; i++) {
        if (!is_array(&arguments[i]))
            continue;
        arguments[i].data = session->arguments[i].data = calloc(1, arguments[i].bytes);
        if (arguments[i].data == NULL)
            return fail_errno(why, "%zu bytes for an array", arguments[i].bytes);
    }
    return STATUS_OK;
}

/* Without the seals the submission could cut the memory off, and the judge's next look would be a SIGBUS. */
static Status share_memory(CpuSession *session, int *descriptor, Message *why)
{
    session->memory_bytes = offset_of(session, session->count);
    *descriptor = memfd_create("arrays", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    void *mapped = MAP_FAILED;
    if (*descriptor >= 0 && ftruncate(*descriptor, (off_t)session->memory_bytes) == 0 &&
        fcntl(*descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        mapped = mmap(NULL, session->memory_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, *descriptor, 0);
    if (mapped == MAP_FAILED)
        return fail_errno(why, "%zu bytes of shared memory", session->memory_bytes);
    session->memory = mapped;
    return STATUS_OK;
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

static bool has_ended(const CpuSession *session)
{
    struct pollfd ended = {.fd = session->runner.ended, .events = POLLIN};
    return poll(&ended, 1, 0) == 1;
}

/* Sleeps until the phase is no longer `phase`; false where the process ended, or the time did. */
static bool await(CpuSession *session, uint32_t phase, double deadline)
{
    while (atomic_load(&session->memory->phase) == phase) {
        double left = deadline - now_s();
        if (left <= 0 || has_ended(session))
            return false;
        runner_process_drain(&session->runner);
        cpu_phase_wait(session->memory, phase, left < LOOK_S ? left : LOOK_S);
    }
    return true;
}

/* ---- what becomes of it ------------------------------------------------------------------------------------------ */

static void take_printed(CpuSession *session, CallReport *report)
{
    runner_process_drain(&session->runner);
    runner_process_take_printed(&session->runner, &report->printed, &report->printed_lost);
}

/* It neither returned nor refused. */
static void explain_loss(CpuSession *session, const char *doing, CallReport *report)
{
    int exit_status = 0;
    bool ended = has_ended(session);
    take_printed(session, report);
    runner_process_stop(&session->runner, &exit_status);
    report->outcome = ended ? CALL_RUN_TIME_ERROR : CALL_TIME_LIMIT;
    if (ended)
        runner_process_explain_end(exit_status, doing, report->text, sizeof report->text);
    else
        snprintf(report->text, sizeof report->text, "%s took longer than %g s", doing, session->limits.wall_seconds);
}

static void explain_refusal(CpuSession *session, CallReport *report)
{
    char error[sizeof session->memory->error];
    memcpy(error, session->memory->error, sizeof error);
    error[sizeof error - 1] = '\0';
    take_printed(session, report);
    report->outcome = CALL_RUN_TIME_ERROR;
    snprintf(report->text, sizeof report->text, "the object cannot be loaded: %s", error);
}

/* ---- public ------------------------------------------------------------------------------------------------------ */

static Status start_runner(CpuSession *session, const char *object_path, Message *why)
{
    int descriptor;
    Status status = share_memory(session, &descriptor, why);
    if (status == STATUS_OK)
        status = runner_process_start_on_cpu(object_path, descriptor, &session->limits, &session->runner, why);
    if (descriptor >= 0)
        close(descriptor);
    return status;
}

static void await_ready(CpuSession *session, CallReport *report)
{
    if (!await(session, CPU_STARTING, now_s() + session->limits.wall_seconds))
        explain_loss(session, "a constructor", report);
    else if (atomic_load(&session->memory->phase) != CPU_READY)
        explain_refusal(session, report);
    else
        take_printed(session, report);
}

Status cpu_session_start(const char *object_path, const CallLimits *limits, SessionArgument *arguments, size_t count,
                         CpuSession **made, CallReport *report, Message *why)
{
    *report = (CallReport){.kernel_wrote_output = -1};
    *made = NULL;
    if (count > CALL_MAX_PARAMETERS)
        return fail(STATUS_BAD_INPUT, why, "a call with %zu parameters", count);
    CpuSession *session = allocated(calloc(1, sizeof *session));
    session->limits = *limits;
    session->count = count;
    session->runner = (RunnerProcess){.ended = -1, .output = -1};
    memcpy(session->arguments, arguments, count * sizeof *arguments);
    for (size_t i = 0; i < count; i++)
        session->arguments[i].data = NULL;
    Status status = own_copies(session, arguments, why);
    if (status == STATUS_OK)
        status = start_runner(session, object_path, why);
    if (status != STATUS_OK) {
        cpu_session_close(session);
        return status;
    }
    await_ready(session, report);
    *made = session;
    return STATUS_OK;
}

static void poison(const SessionArgument *argument, uint8_t *to)
{
    const uint32_t bits = CALL_POISON_BITS;
    for (size_t i = 0; i < argument->bytes; i++)
        to[i] = argument->float_output ? ((const uint8_t *)&bits)[i % sizeof bits] : (uint8_t)(i * 151 + 101);
}

static void hand_over(CpuSession *session)
{
    session->memory->word_count = (uint32_t)session->count;
    for (size_t i = 0; i < session->count; i++) {
        const SessionArgument *argument = &session->arguments[i];
        session->memory->words[i] = (CpuWord){.is_array = is_array(argument),
                                              .value = is_array(argument) ? offset_of(session, i) : argument->value};
        if (argument->role == ARGUMENT_INPUT)
            memcpy(shared_array(session, i), argument->data, argument->bytes);
        else if (argument->role == ARGUMENT_OUTPUT)
            poison(argument, shared_array(session, i));
    }
}

static void take_back(CpuSession *session, CallReport *report)
{
    for (size_t i = 0; i < session->count; i++) {
        const SessionArgument *argument = &session->arguments[i];
        if (argument->role == ARGUMENT_INPUT)
            report->input_changed |= memcmp(shared_array(session, i), argument->data, argument->bytes) != 0;
        else if (argument->role == ARGUMENT_OUTPUT)
            memcpy(argument->data, shared_array(session, i), argument->bytes);
    }
}

Status cpu_session_call(CpuSession *session, CallReport *report, Message *why)
{
    *report = (CallReport){.kernel_wrote_output = -1};
    if (session->runner.pid == 0)
        return fail(STATUS_BAD_INPUT, why, "a call of a process that is gone");
    hand_over(session);
    double start = now_s();
    cpu_phase_set(session->memory, CPU_CALL);
    if (!await(session, CPU_CALL, start + session->limits.wall_seconds)) {
        explain_loss(session, "solve()", report);
        return STATUS_OK;
    }
    report->event_s = now_s() - start;
    take_printed(session, report);
    take_back(session, report);
    return STATUS_OK;
}

void cpu_session_close(CpuSession *session)
{
    if (session == NULL)
        return;
    runner_process_stop(&session->runner, NULL);
    if (session->memory != NULL)
        munmap(session->memory, session->memory_bytes);
    for (size_t i = 0; i < session->count; i++)
        free(session->arguments[i].data);
    free(session);
}
