#include "harness/broker/broker.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/paths.h"
#include "harness/broker/broker_confine.h"
#include "harness/broker/broker_launch.h"
#include "harness/broker/broker_memory.h"
#include "harness/broker/broker_state.h"
#include "harness/broker/control.h"
#include "harness/device/device_open.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* ==== broker call ================================================================================================= */

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

/* A violation counts more than a fault, and a fault more than any other end. */
static void conclude(Broker *broker)
{
    DeviceFault fault;
    if (broker_has_fault(broker, &fault) && broker->end != SERVE_VIOLATION)
        conclude_fault(broker, &fault);
    else
        conclude_end(broker);
    CallReport *report = &broker->reply.report;
    report->not_provided = broker->not_provided;
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

/* What the grader allows for a call is meant for grids of many blocks. One that takes this share alone computes everything
 * several times over, or never ends. */
enum { SHARES_OF_A_BLOCK = 2 };

static void begin_call(Broker *broker, const ControlRequest *request)
{
    Device *device = broker->device;
    broker->reply = (ControlReply){0};
    broker->posted_error = CUDA_ERROR_SUCCESS;
    broker->seconds_left = request->seconds_left;
    device->report->reset(device);
    const uint64_t most = lower_limit(broker->limits.warp_instructions, request->warp_instructions);
    if (device->simulation != NULL)
        device->simulation->set_budget(device, lower_limit(most, request->warp_instructions_left),
                                       request->warp_instructions / SHARES_OF_A_BLOCK);
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
    broker->not_provided = (CallError){0};
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
    broker_profile_begin(broker, request);
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

/* ==== broker ====================================================================================================== */

/* The driver of a real GPU writes what kernels print, and the message of a failed assertion, to this process's standard
 * output and error. They become a pipe, which takes what fits and refuses the rest. */
static void capture_output(Broker *broker)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return;
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
    broker->printed = ends[0];
}

static size_t take_printed(Broker *broker, char *buffer, size_t size)
{
    const DeviceSimulationOps *simulation = broker->device->simulation;
    const DeviceHardwareOps *hardware = broker->device->hardware;
    size_t length = simulation == NULL ? 0 : simulation->take_output(broker->device, buffer, size);
    if (hardware != NULL && broker->reply.status == STATUS_OK)
        hardware->flush_output(broker->device);
    if (broker->printed < 0)
        return length;
    fflush(stdout);
    clearerr(stdout);
    ssize_t got = read(broker->printed, buffer + length, size - length);
    return got > 0 ? length + (size_t)got : length;
}

static bool send_reply(Broker *broker)
{
    static char printed[CONTROL_MAX_PRINTED];
    ControlReply *reply = &broker->reply;
    const Device *device = broker->device;
    reply->is_compiling = device != NULL && device->simulation != NULL &&
                          device->simulation->is_compiling(broker->device);
    reply->printed_bytes = (uint32_t)take_printed(broker, printed, sizeof printed);
    return control_send(broker->control, reply, sizeof *reply, printed, reply->printed_bytes, NULL, 0);
}

/* To a request that starts nothing on the device. What kernels printed waits for the next reply to one that does: a
 * driver may write it late, and nobody expects it here. */
static bool send_plain_reply(Broker *broker)
{
    return control_send(broker->control, &broker->reply, sizeof broker->reply, NULL, 0, NULL, 0);
}

static bool send_device(Broker *broker)
{
    return send_plain_reply(broker) && broker->reply.status == STATUS_OK;
}

static bool say_hello(Broker *broker)
{
    ControlReply *reply = &broker->reply;
    reply->status = device_describe(broker->device_name, &reply->device, &reply->why);
    return send_device(broker);
}

/* A simulated GPU is confined before its threads start, a real one in part when its process begins, and in the rest after its driver has
 * started. Nothing that a submission made has been read by then. A test that plays the broker in its own process stays as it is. */
static void confine(Broker *broker)
{
    char profiles[PATH_MAX], translations[PATH_MAX];
    Message why;
    bool modelled = broker->reply.device.modelled;
    const Confinement confinement = {
        .is_real_gpu = !modelled,
        .profiles = paths_home("simgpu/profiles", profiles, sizeof profiles, &why) == STATUS_OK ? profiles : NULL,
        .translations = device_sim_translations(translations, sizeof translations) ? translations : NULL};
    if (broker->is_process)
        broker_confine(&confinement, broker->unconfined, sizeof broker->unconfined);
}

/* A copy of the lock's descriptor stays open, and so holds the lock, until this process ends. */
static bool open_device(Broker *broker, int lock)
{
    ControlReply *reply = &broker->reply;
    bool modelled = reply->device.modelled;
    *reply = (ControlReply){.device = reply->device};
    if (modelled)
        confine(broker);
    if (lock >= 0 && fcntl(lock, F_DUPFD_CLOEXEC, 3) < 0)
        reply->status = fail_errno(&reply->why, "the device's lock cannot be kept");
    if (reply->status == STATUS_OK)
        reply->status = device_open(reply->device.handle, &broker->device, &reply->why);
    if (reply->status == STATUS_OK) {
        DeviceInfo *info = &broker->device->info;
        if (!info->modelled)
            capture_output(broker);
        if (!modelled)
            confine(broker);
        memcpy(info->unconfined, broker->unconfined, sizeof info->unconfined);
        reply->device = *info;
    }
    return send_device(broker);
}

static void *map(int descriptor, uint64_t bytes, int protection)
{
    void *memory = bytes == 0 ? MAP_FAILED : mmap(NULL, bytes, protection, MAP_SHARED | MAP_POPULATE, descriptor, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

#ifdef __SANITIZE_ADDRESS__
static const bool HAS_SHADOW_MEMORY = true; /* of AddressSanitizer, which is larger than any limit and counts */
#else
static const bool HAS_SHADOW_MEMORY = false;
#endif

/* Private memory that the broker of a simulated GPU may have while it serves a submission. Device memory counts, with what
 * the simulator notes about each byte of it, and so do modules, their code and the tables of handles. The driver of a real
 * GPU sets its own limits. */
static void limit_memory(const Broker *broker)
{
    struct rlimit limit;
    if (HAS_SHADOW_MEMORY || !broker->is_process || !broker->device->info.modelled ||
        getrlimit(RLIMIT_DATA, &limit) != 0)
        return;
    rlim_t most = broker_most.per_device_byte * broker->limits.device_bytes + broker_most.own_bytes;
    limit.rlim_cur = most < limit.rlim_max ? most : limit.rlim_max;
    setrlimit(RLIMIT_DATA, &limit);
    out_of_memory_ends_with(CONTROL_OUT_OF_MEMORY);
}

/* A submission without GPU code has no modules, and nothing is mapped for them. */
static Status take_runner(Broker *broker, const ControlRequest *request, const int *descriptors, Message *why)
{
    broker->reader.ring = ring_map(descriptors[0]);
    broker->image_bytes = request->memory_bytes;
    broker->images = request->module_count == 0 ? NULL : map(descriptors[1], request->memory_bytes, PROT_READ);
    if (broker->reader.ring == NULL || (broker->images == NULL && request->module_count > 0))
        return fail_errno(why, "the broker's shared memory");
    device_pin(broker->device, broker->reader.ring->staging, sizeof broker->reader.ring->staging);
    broker->host_clock = descriptors[2] < 0 ? -1 : fcntl(descriptors[2], F_DUPFD_CLOEXEC, 0);
    broker->limits = request->limits;
    limit_memory(broker);
    broker->module_count = request->module_count;
    for (size_t i = 0; i < broker->module_count; i++)
        broker->modules[i] = (BrokerModule){.image = broker->images + request->modules[i].offset,
                                            .bytes = request->modules[i].bytes};
    return STATUS_OK;
}

static Status take_buffers(Broker *broker, const ControlRequest *request, const int *descriptors, Message *why)
{
    if (broker->buffers_pinned)
        device_unpin(broker->device, broker->buffers);
    if (broker->buffers != NULL)
        munmap(broker->buffers, broker->buffer_bytes);
    broker->buffers_pinned = broker->has_exchange = false;
    broker->buffer_bytes = request->memory_bytes;
    broker->buffers = map(descriptors[0], request->memory_bytes, PROT_READ | PROT_WRITE);
    return broker->buffers == NULL ? fail_errno(why, "mapping the arrays into the broker") : STATUS_OK;
}

static Status join_exchange(Broker *broker, const ControlRequest *request, const int *descriptors, Message *why)
{
    Device *device = broker->device;
    CudaError error = device->exchange == NULL ? CUDA_ERROR_NOT_SUPPORTED
                                               : device->exchange->join(device, descriptors[0], request->memory_bytes);
    broker->has_exchange = error == CUDA_ERROR_SUCCESS;
    return broker->has_exchange
               ? STATUS_OK
               : fail(STATUS_UNSUPPORTED, why, "memory shared with the oracle: %s", cuda_error_text(error));
}

static Status take_profile(Broker *broker, const ControlRequest *request, const int *descriptors, Message *why)
{
    if (broker->profile != NULL)
        munmap(broker->profile, sizeof *broker->profile);
    broker->profile = map(descriptors[0], request->memory_bytes, PROT_READ | PROT_WRITE);
    return broker->profile == NULL ? fail_errno(why, "mapping the profile into the broker") : STATUS_OK;
}

static bool serve_grader(Broker *broker, const ControlRequest *request, const int *descriptors)
{
    ControlReply *reply = &broker->reply;
    const ControlState state = {.is_open = broker->device != NULL,
                                .is_simulated = broker->device != NULL && broker->device->simulation != NULL,
                                .has_runner = broker->reader.ring != NULL,
                                .has_exchange = broker->has_exchange,
                                .buffer_bytes = broker->buffer_bytes};
    if (!control_request_is_valid(request, descriptors, &state))
        return false;
    switch (request->kind) {
    case CONTROL_OPEN: return open_device(broker, descriptors[0]);
    case CONTROL_LOAD:
        /* It may have been opened long ago, while others used it. Now nobody does. */
        reply->status = device_calibrate(broker->device, &reply->why);
        if (reply->status == STATUS_OK)
            reply->status = take_runner(broker, request, descriptors, &reply->why);
        if (reply->status == STATUS_OK)
            broker_load(broker, request);
        reply->device = broker->device->info;
        return send_reply(broker);
    case CONTROL_BUFFERS:
        reply->status = take_buffers(broker, request, descriptors, &reply->why);
        return reply->status == STATUS_OK || (send_reply(broker) && false);
    case CONTROL_EXCHANGE:
        *reply = (ControlReply){.device = reply->device};
        reply->status = join_exchange(broker, request, descriptors, &reply->why);
        return send_plain_reply(broker);
    case CONTROL_PROFILE:
        reply->status = take_profile(broker, request, descriptors, &reply->why);
        return reply->status == STATUS_OK || (send_reply(broker) && false);
    case CONTROL_CALL: broker_call(broker, request); return send_reply(broker);
    case CONTROL_RUNNER_GONE: /* the call had already ended */ return true;
    }
    return false;
}

void broker_run(Broker *broker)
{
    ControlRequest request = {0};
    int descriptors[CONTROL_MAX_DESCRIPTORS];
    broker_begin(broker);
    broker->printed = -1;
    bool going = say_hello(broker);
    while (going && control_receive(broker->control, &request, sizeof request, NULL, 0, descriptors)) {
        going = serve_grader(broker, &request, descriptors);
        control_close(descriptors);
    }
}

int broker_main(int argc, char **argv)
{
    static Broker broker; /* too large for the stack */
    DeviceFiles files;
    if (argc != 3) {
        fprintf(stderr, "broker: started by the judge itself, with DESCRIPTOR and DEVICE\n");
        return 2;
    }
    broker.is_process = true;
    broker.control = atoi(argv[1]);
    broker.device_name = argv[2];
    device_use_only(broker.device_name);
    if (device_files(broker.device_name, &files))
        broker_confine_driver(&files, broker.unconfined, sizeof broker.unconfined);
    broker_run(&broker);
    for (size_t i = 0; i < broker.module_count; i++)
        if (broker.modules[i].loaded != NULL &&
            broker.device->simulation != NULL) /* waits for what is being compiled */
            broker.device->modules->unload(broker.device, broker.modules[i].loaded);
    if (broker.device != NULL)
        broker.device->close(broker.device);
    return 0;
}
