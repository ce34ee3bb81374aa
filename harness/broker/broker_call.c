#include "harness/broker/broker_call.h"

#include "base/clock.h"
#include "harness/broker/broker_arrays.h"
#include "harness/broker/broker_fault.h"
#include "harness/broker/broker_host_time.h"
#include "harness/broker/broker_host_work.h"
#include "harness/broker/broker_observe.h"
#include "harness/broker/broker_request.h"
#include "harness/broker/broker_serve.h"

#include <stdio.h>
#include <string.h>

/* ---- the outcome ------------------------------------------------------------------------------------------------- */

static void say(CallReport *report, CallOutcome outcome, Mistake mistake, const char *text)
{
    report->outcome = outcome;
    report->mistake = mistake;
    snprintf(report->text, sizeof report->text, "%s", text);
}

/* A kernel that the device cannot run is a limit of the judge, not a mistake of the student, and the sentence says
 * so. */
static void say_unsupported(Broker *broker, int line, const char *text)
{
    CallReport *report = &broker->reply.report;
    const char *whose = broker->device->info.modelled ? "a limit of the simulated GPU: " : "";
    report->outcome = CALL_UNSUPPORTED;
    report->mistake = (Mistake){.kind = MISTAKE_UNSUPPORTED, .line = line};
    snprintf(report->text, sizeof report->text, "%s%.*s", whose, (int)(sizeof report->text - 1 - strlen(whose)), text);
}

static void conclude_fault(Broker *broker, const DeviceFault *fault)
{
    CallReport *report = &broker->reply.report;
    switch (fault->kind) {
    case DEVICE_NO_FAULT:
    case DEVICE_BAD_LAUNCH: break;
    case DEVICE_FAULT: say(report, CALL_RUN_TIME_ERROR, fault->mistake, fault->text); break;
    case DEVICE_TIME_LIMIT: say(report, CALL_TIME_LIMIT, fault->mistake, fault->text); break;
    case DEVICE_UNSUPPORTED: say_unsupported(broker, fault->mistake.line, fault->text); break;
    }
}

/* For SERVE_RUNNER_GONE, and a load that failed for lack of host memory, the grader finds the reason. */
static void conclude_end(Broker *broker)
{
    CallReport *report = &broker->reply.report;
    char text[200];
    switch (broker->end) {
    case SERVE_GOING:
    case SERVE_DONE:
    case SERVE_DEVICE_TIME: /* the device has reported a fault */
    case SERVE_RUNNER_GONE: break;
    case SERVE_LOAD_FAILED:
        if (!broker->reply.host_memory_refused)
            say(report, CALL_RUN_TIME_ERROR, (Mistake){.kind = MISTAKE_LOAD_FAILED}, broker->end_text);
        break;
    case SERVE_TOO_MUCH:
        say(report, CALL_TIME_LIMIT, (Mistake){.kind = MISTAKE_TOO_MANY_CALLS}, broker->end_text);
        break;
    case SERVE_UNSUPPORTED: say_unsupported(broker, 0, broker->end_text); break;
    case SERVE_BUDGET:
        say(report, CALL_TIME_LIMIT, (Mistake){.kind = MISTAKE_BUDGET}, mistake_words(MISTAKE_BUDGET));
        break;
    case SERVE_HOST_TIME:
        snprintf(text, sizeof text, "the host code kept the device waiting for more than %g s",
                 broker_host_time_limit(broker));
        say(report, CALL_TIME_LIMIT, (Mistake){.kind = MISTAKE_HOST_TIME}, text);
        break;
    case SERVE_WORK_TIME:
        snprintf(text, sizeof text, "the kernels were still running after %g s", broker->limits.device_seconds);
        say(report, CALL_TIME_LIMIT, (Mistake){.kind = MISTAKE_KERNEL_TIME}, text);
        break;
    case SERVE_VIOLATION:
        say(report, CALL_INTEGRITY_VIOLATION, (Mistake){.kind = broker->violation}, broker->end_text);
        break;
    }
}

static bool is_fault(DeviceFaultKind kind)
{
    return kind != DEVICE_NO_FAULT && kind != DEVICE_BAD_LAUNCH;
}

/* A violation counts more than a fault, and a fault more than any other end. */
static void conclude(Broker *broker)
{
    DeviceFault fault;
    broker->device->report->fault(broker->device, &fault);
    if (broker->end != SERVE_VIOLATION && is_fault(fault.kind))
        conclude_fault(broker, &fault);
    else
        conclude_end(broker);
    CallReport *report = &broker->reply.report;
    memcpy(report->not_provided, broker->not_provided, sizeof report->not_provided);
    broker->reply.runner_gone = broker->end != SERVE_DONE && report->outcome == CALL_OK;
}

/* ---- loading and calling ----------------------------------------------------------------------------------------- */

static uint64_t lower_limit(uint64_t a, uint64_t b) /* 0: none */
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

static double lower_seconds(double a, double b) /* 0: none */
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

static void begin_call(Broker *broker, const ControlRequest *request)
{
    Device *device = broker->device;
    broker->reply = (ControlReply){0};
    broker->posted_error = CUDA_ERROR_SUCCESS;
    broker->seconds_left = request->seconds_left;
    device->report->reset(device);
    const uint64_t most = lower_limit(broker->limits.warp_instructions, request->warp_instructions);
    if (device->simulation != NULL)
        device->simulation->set_budget(device, lower_limit(most, request->warp_instructions_left));
    if (device->hardware != NULL)
        device->hardware->set_time_limit(device, lower_seconds(broker->limits.device_seconds, request->seconds_left));
}

/* Even a launch of nothing costs the simulated GPU about as much as this many warp-instructions. */
enum { LAUNCH_INSTRUCTIONS = 20000 };

static void report_expense(Broker *broker)
{
    CallReport *report = &broker->reply.report;
    broker->device->report->statistics(broker->device, &report->statistics);
    report->spent_s = broker_spent_s(broker);
    if (broker->device->info.modelled)
        report->spent_instructions = report->statistics.executed_instructions +
                                     LAUNCH_INSTRUCTIONS * report->statistics.kernels;
}

/* Ends the bracket, and reports its times. */
static CudaError end_bracket(Broker *broker)
{
    CallReport *report = &broker->reply.report;
    DeviceBracket bracket;
    CudaError error = broker->device->timing->end(broker->device, &bracket);
    report_expense(broker);
    report->event_s = bracket.event_s;
    report->host_s = bracket.host_s;
    report->ended_s = bracket.ended_s;
    report->busy_s = bracket.busy_s;
    report->pending_at_return = bracket.pending;
    if (bracket.gate_forged)
        broker_violation(broker, MISTAKE_GATE_FORGED,
                         "something opened the gate that holds back all work until the clock runs");
    return error;
}

/* Constructors can launch kernels. They are timed like those of solve(), since they may compute something that helps
 * solve(). */
void broker_load(Broker *broker, const ControlRequest *request)
{
    Device *device = broker->device;
    begin_call(broker, request);
    broker->not_provided[0] = '\0';
    ring_set_turns(broker->reader.ring, device->simulation != NULL);
    device->memory->set_limit(device, broker->limits.device_bytes);
    broker_require(broker, device->timing->begin(device), "bracket");
    if (!broker_is_ok(broker))
        return;
    broker_serve(broker, RING_LOADING);
    if (broker->end == SERVE_DONE) {
        broker->reply.report.phase = PHASE_LOADING;
        broker_serve(broker, RING_READY);
    }
    CudaError error = end_bracket(broker);
    conclude(broker);
    if (broker->reply.report.outcome == CALL_OK && !broker->reply.runner_gone)
        broker_require(broker, error, "synchronisation");
}

static void command_runner(Broker *broker, const ControlRequest *request)
{
    RingCommand command = {.is_untimed = request->is_untimed};
    for (uint32_t i = 0; i < request->argument_count; i++)
        command.word[i] = control_is_array(&request->arguments[i]) ? broker->arrays[i] : request->arguments[i].value;
    ring_command(broker->reader.ring, &command);
}

/* Streams, events and the like take memory of the broker, too. */
static bool holds_anything(const Broker *broker)
{
    return broker->allocation_count + broker->streams.count + broker->events.count + broker->cuda_arrays.count > 0;
}

void broker_call(Broker *broker, const ControlRequest *request)
{
    Device *device = broker->device;
    CallReport *report = &broker->reply.report;
    Observation observation;
    begin_call(broker, request);
    report->phase = PHASE_SOLVE;
    broker_arrays_allocate(broker, request);
    if (!broker_is_ok(broker) && holds_anything(broker)) {
        broker->reply = (ControlReply){.report = {.phase = PHASE_SOLVE}};
        say(report, CALL_MEMORY_LIMIT, (Mistake){.kind = MISTAKE_DEVICE_MEMORY},
            "the memory that it keeps allocated leaves no room for the arrays of the call");
        return;
    }
    broker_arrays_fill(broker, request);
    broker_require(broker, device->streams->synchronize_all(device), "synchronisation");
    if (broker_is_ok(broker))
        broker_observe_begin(broker, request, &observation);
    if (!broker_is_ok(broker))
        return;
    broker_require(broker, device->timing->begin(device), "bracket");
    device->report->reset(device);
    broker_profile_begin(broker);
    broker_host_work_begin(broker);
    command_runner(broker, request);
    broker_serve(broker, RING_RETURNED);
    report->returned_s = now_s();
    CudaError error = end_bracket(broker);
    broker_profile_end(broker);
    broker_observe_end(broker, &observation);
    conclude(broker);
    if (report->outcome != CALL_OK || broker->reply.runner_gone)
        return; /* nothing is read back: the grader replaces this broker */
    broker_require(broker, error, "synchronisation");
    broker_arrays_give(broker, request);
    const double given_s = now_s();
    broker_arrays_examine(broker, request);
    broker_arrays_release(broker);
    report->examined_s = now_s() - given_s;
}
