
#include "base/arena.h"
#include "base/clock.h"
#include "base/process.h"
#include "harness/broker/runner_process.h"
#include "harness/broker/session.h"
#include "harness/protocol/solve.h"

#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)ARRAY_PAGE_BYTES == (int)CPU_PAGE_BYTES, "the arrays follow the page of CpuMemory");

/* The judge sleeps no longer than this before it looks whether the process lives and has printed something. */
static const double LOOK_S = 0.01;

typedef struct CpuSession {
    Session base;
    char object_path[PATH_MAX];
    CallLimits limits;
    bool loaded; /* false again after a call that ended badly */
    size_t count;
    size_t offsets[CALL_MAX_PARAMETERS]; /* of the arrays in the shared memory */
    void *copies[CALL_MAX_PARAMETERS];   /* the arrays that the grader sees; NULL: not an array */
    SharedMemory shared;                 /* a CpuMemory and the arrays that solve() sees */
    RunnerProcess runner;
} CpuSession;

static CpuSession *cpu_of(Session *session)
{
    return (CpuSession *)session;
}

static CpuMemory *memory_of(const CpuSession *cpu)
{
    return (CpuMemory *)cpu->shared.base;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void stop_runner(CpuSession *cpu, int *exit_status)
{
    runner_process_stop(&cpu->runner, exit_status);
    shared_memory_free(&cpu->shared);
}

static void drop_copies(CpuSession *cpu)
{
    for (size_t i = 0; i < CALL_MAX_PARAMETERS; i++) {
        free(cpu->copies[i]);
        cpu->copies[i] = NULL;
    }
}

static Status cpu_buffers(Session *session, SessionArgument *arguments, size_t count, Message *why)
{
    CpuSession *cpu = cpu_of(session);
    stop_runner(cpu, NULL);
    drop_copies(cpu);
    if (count > CALL_MAX_PARAMETERS)
        return fail(STATUS_BAD_INPUT, why, "a call with %zu parameters", count);
    cpu->count = count;
    for (size_t i = 0; i < count; i++) {
        if (!argument_is_array(&arguments[i]))
            continue;
        const size_t result = argument_result_offset(arguments[i].role, arguments[i].bytes);
        arguments[i].data = cpu->copies[i] = calloc(1, arguments[i].bytes + result);
        if (cpu->copies[i] == NULL)
            return fail_errno(why, "no memory for an array of %zu bytes", arguments[i].bytes);
        arguments[i].result = (uint8_t *)cpu->copies[i] + result;
    }
    return STATUS_OK;
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

static bool has_ended(const CpuSession *cpu)
{
    struct pollfd ended = {.fd = cpu->runner.ended, .events = POLLIN};
    return poll(&ended, 1, 0) == 1;
}

/* Sleeps while the phase is `phase`. False if the process ended, or the time did. Threads on all cores may compute for all
 * of it. */
static bool await_phase_after(CpuSession *cpu, uint32_t phase)
{
    CpuMemory *memory = memory_of(cpu);
    const double seconds = cpu->limits.wall_seconds;
    ProcessDeadline deadline = process_deadline(seconds, seconds * processors_usable(), process_times(cpu->runner.pid));
    while (atomic_load(&memory->phase) == phase) {
        double left = process_deadline_left(&deadline);
        if (has_ended(cpu) ||
            (left <= 0 && process_deadline_look(&deadline, process_times(cpu->runner.pid)) != DEADLINE_AHEAD))
            return false;
        runner_process_drain(&cpu->runner);
        cpu_phase_wait(memory, phase, left < LOOK_S ? left : LOOK_S);
    }
    return true;
}

/* ---- how a call ended -------------------------------------------------------------------------------------------- */

static void take_printed(CpuSession *cpu, CallReport *report)
{
    runner_process_drain(&cpu->runner);
    runner_process_take_printed(&cpu->runner, &report->printed, &report->printed_lost);
}

/* The process neither finished what it was doing nor refused to. */
static Status explain_loss(CpuSession *cpu, CallPhase phase, CallReport *report, Message *why)
{
    const char *doing = phase == PHASE_SOLVE ? "solve()" : "a constructor";
    int exit_status = 0;
    bool ended = has_ended(cpu);
    take_printed(cpu, report);
    stop_runner(cpu, &exit_status);
    if (exit_status == RUNNER_NOT_MADE || phase == PHASE_NONE)
        return fail(STATUS_SYSTEM, why, "the submission's sandbox could not be made: %.300s",
                    report->printed.data != NULL ? report->printed.data : "no reason given");
    report->phase = phase;
    report->outcome = exit_status == RUNNER_OUT_OF_MEMORY ? CALL_MEMORY_LIMIT
                      : ended                             ? CALL_RUN_TIME_ERROR
                                                          : CALL_TIME_LIMIT;
    report->mistake.kind = exit_status == RUNNER_OUT_OF_MEMORY ? MISTAKE_HOST_MEMORY
                           : ended                             ? MISTAKE_PROCESS_ENDED
                                                               : MISTAKE_WALL_TIME;
    if (exit_status == RUNNER_OUT_OF_MEMORY)
        snprintf(report->text, sizeof report->text, "the host code asked for more memory than its limit of %zu MiB",
                 cpu->limits.host_bytes >> 20);
    else if (ended)
        runner_process_explain_end(exit_status, doing, report->text, sizeof report->text);
    else
        snprintf(report->text, sizeof report->text, "%s took longer than %g s", doing, cpu->limits.wall_seconds);
    return STATUS_OK;
}

static void explain_refusal(CpuSession *cpu, CallReport *report)
{
    char error[sizeof memory_of(cpu)->error];
    memcpy(error, memory_of(cpu)->error, sizeof error);
    error[sizeof error - 1] = '\0';
    take_printed(cpu, report);
    stop_runner(cpu, NULL);
    report->outcome = CALL_RUN_TIME_ERROR;
    report->mistake = (Mistake){.kind = MISTAKE_LOAD_FAILED};
    snprintf(report->text, sizeof report->text, "the object cannot be loaded: %s", error);
}

/* ---- loading and calling ----------------------------------------------------------------------------------------- */

static Status cpu_device(Session *session, DeviceInfo *info, Message *why)
{
    cpu_device_describe(info);
    return STATUS_OK;
}

static Status cpu_load(Session *session, const Compiled *compiled, const CallLimits *limits, CallReport *report,
                       Message *why)
{
    CpuSession *cpu = cpu_of(session);
    stop_runner(cpu, NULL);
    snprintf(cpu->object_path, sizeof cpu->object_path, "%s", compiled->object_path);
    cpu->limits = *limits;
    cpu->loaded = true;
    return STATUS_OK;
}

static Status start_runner(CpuSession *cpu, const SessionArgument *arguments, CallReport *report, Message *why)
{
    size_t bytes = array_layout(arguments, cpu->count, CPU_PAGE_BYTES, cpu->offsets);
    TRY(shared_memory_new("arrays", bytes, &cpu->shared, why));
    TRY(runner_process_start_on_cpu(cpu->object_path, cpu->shared.descriptor, &cpu->limits, &cpu->runner, why));
    if (!await_phase_after(cpu, CPU_STARTING))
        return explain_loss(cpu, PHASE_NONE, report, why);
    if (!await_phase_after(cpu, CPU_LOADING))
        return explain_loss(cpu, PHASE_LOADING, report, why);
    if (atomic_load(&memory_of(cpu)->phase) != CPU_READY)
        explain_refusal(cpu, report);
    return STATUS_OK;
}

static void poison(const SessionArgument *argument, uint8_t *to)
{
    for (size_t i = 0; i < argument->bytes; i++) {
        const uint32_t word = call_poison_word(argument->poison_bits, argument->float_output, i / sizeof word);
        to[i] = ((const uint8_t *)&word)[i % sizeof word];
    }
}

static void hand_over(CpuSession *cpu, const SessionArgument *arguments)
{
    CpuMemory *memory = memory_of(cpu);
    memory->word_count = (uint32_t)cpu->count;
    for (size_t i = 0; i < cpu->count; i++) {
        const SessionArgument *argument = &arguments[i];
        bool is_array = argument_is_array(argument);
        memory->words[i] = (CpuWord){.is_array = is_array, .value = is_array ? cpu->offsets[i] : argument->value};
        if (argument_role_is_read(argument->role))
            memcpy(cpu->shared.base + cpu->offsets[i], argument->data, argument->bytes);
        else if (argument->role == ARGUMENT_OUTPUT)
            poison(argument, cpu->shared.base + cpu->offsets[i]);
    }
}

static void take_back(const CpuSession *cpu, const SessionArgument *arguments, bool check_inputs, CallReport *report)
{
    for (size_t i = 0; i < cpu->count; i++) {
        const SessionArgument *argument = &arguments[i];
        const uint8_t *array = cpu->shared.base + cpu->offsets[i];
        if (argument->role == ARGUMENT_INPUT && check_inputs)
            report->input_changed |= memcmp(array, argument->data, argument->bytes) != 0;
        else if (argument_role_is_written(argument->role))
            memcpy(argument->result, array, argument->bytes);
    }
}

static Status call_solve(CpuSession *cpu, const SessionArgument *arguments, bool check_inputs, CallReport *report,
                         Message *why)
{
    hand_over(cpu, arguments);
    double start_s = now_s();
    cpu_phase_set(memory_of(cpu), CPU_CALL);
    if (!await_phase_after(cpu, CPU_CALL))
        return explain_loss(cpu, PHASE_SOLVE, report, why);
    report->event_s = now_s() - start_s;
    take_printed(cpu, report);
    take_back(cpu, arguments, check_inputs, report);
    return STATUS_OK;
}

static Status cpu_call(Session *session, SessionArgument *arguments, size_t count, const CallOptions *options,
                       CallReport *report, Message *why)
{
    CpuSession *cpu = cpu_of(session);
    if (!cpu->loaded || count != cpu->count)
        return fail(STATUS_BAD_INPUT, why, "session_call() without session_load() or session_buffers()");
    Status status = cpu->runner.pid == 0 ? start_runner(cpu, arguments, report, why) : STATUS_OK;
    if (status == STATUS_OK && report->outcome == CALL_OK)
        status = call_solve(cpu, arguments, options->check_inputs, report, why);
    cpu->loaded = status == STATUS_OK && report->outcome == CALL_OK;
    return status;
}

/* ---- beginning and end ------------------------------------------------------------------------------------------- */

static void cpu_close(Session *session)
{
    CpuSession *cpu = cpu_of(session);
    stop_runner(cpu, NULL);
    drop_copies(cpu);
    free(cpu);
}

static const SessionOps OPS = {
    .device = cpu_device, .load = cpu_load, .buffers = cpu_buffers, .call = cpu_call, .close = cpu_close};

Status cpu_session_open(Session **session, Message *why)
{
    CpuSession *cpu = allocated(calloc(1, sizeof *cpu));
    cpu->base.ops = &OPS;
    cpu->base.traits = (SessionTraits){.runs_c = true, .clock = SESSION_WALL};
    cpu->runner = (RunnerProcess){.ended = -1, .output = -1};
    *session = &cpu->base;
    return STATUS_OK;
}
