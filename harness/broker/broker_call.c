#include "harness/broker/broker_call.h"

#include "harness/broker/broker_serve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { PIECE_BYTES = 64 * 1024, PAGE_BYTES = 4096, MOST_SHIFT_PAGES = 64 };

/* ---- the judge's own trouble ------------------------------------------------------------------------------------- */

static bool ok(const Broker *broker)
{
    return broker->reply.status == STATUS_OK;
}

static void check(Broker *broker, CudaError error, const char *doing)
{
    if (error != CUDA_ERROR_SUCCESS && ok(broker))
        broker->reply.status = fail(STATUS_SYSTEM, &broker->reply.why, "the judge's own %s failed: %s", doing,
                                    cuda_error_text(error));
}

static void random_bytes(Broker *broker, void *bytes, size_t count)
{
    if (getrandom(bytes, count, 0) != (ssize_t)count && ok(broker))
        broker->reply.status = fail_errno(&broker->reply.why, "random bytes");
}

/* ---- arrays before the call -------------------------------------------------------------------------------------- */

static bool is_array(const ControlArgument *argument)
{
    return argument->role != ARGUMENT_VALUE;
}

/* A spacer of a random size comes and goes, so that the arrays lie elsewhere in every call and a result kept under an
 * address is worth nothing. */
static void allocate_arrays(Broker *broker, const ControlRequest *request)
{
    Device *device = broker->device;
    uint64_t spacer = 0;
    uint8_t pages = 0;
    random_bytes(broker, &pages, sizeof pages);
    device->memory->set_limit(device, device->info.memory_bytes);
    check(broker, device->memory->alloc(device, (1 + pages % MOST_SHIFT_PAGES) * PAGE_BYTES, &spacer), "allocation");
    uint64_t before = device->memory->allocated_bytes(device);
    for (uint32_t i = 0; i < request->argument_count && ok(broker); i++)
        if (is_array(&request->arguments[i]))
            check(broker, device->memory->alloc(device, request->arguments[i].span.bytes, &broker->arrays[i]),
                  "allocation");
    uint64_t own = device->memory->allocated_bytes(device) - before;
    if (spacer != 0)
        check(broker, device->memory->release(device, spacer), "release");
    device->memory->set_limit(device, own + broker->limits.device_bytes);
}

/* An element that the kernel leaves out must not look like a result, neither this call's nor an earlier one's. */
static void poison(Broker *broker, const ControlArgument *output, uint8_t uninitialised_byte, uint64_t address)
{
    static uint32_t pattern[PIECE_BYTES / sizeof(uint32_t)];
    if (uninitialised_byte != 0)
        memset(pattern, uninitialised_byte, sizeof pattern);
    else if (output->float_output)
        for (size_t i = 0; i < sizeof pattern / sizeof *pattern; i++)
            pattern[i] = CALL_POISON_BITS;
    else
        for (size_t i = 0; i < sizeof pattern; i += 256) /* more, getrandom() may cut short */
            random_bytes(broker, (uint8_t *)pattern + i, 256);
    uint64_t bytes = output->span.bytes, done = bytes < PIECE_BYTES ? bytes : PIECE_BYTES;
    check(broker, broker->device->copies->write(broker->device, address, pattern, done, NULL), "poisoning");
    while (done < bytes && ok(broker)) { /* what is there doubles */
        uint64_t count = done < bytes - done ? done : bytes - done;
        check(broker, broker->device->copies->copy(broker->device, address + done, address, count, NULL), "poisoning");
        done += count;
    }
}

static void pin_buffers(Broker *broker)
{
    if (!broker->buffers_pinned)
        device_pin(broker->device, broker->buffers, broker->buffer_bytes);
    broker->buffers_pinned = true;
}

static CudaError take_input(Broker *broker, bool exchanged, const ControlSpan *span, uint64_t address)
{
    Device *device = broker->device;
    if (exchanged)
        return device->exchange->take(device, address, span->offset, span->bytes);
    return device->copies->write(device, address, broker->buffers + span->offset, span->bytes, NULL);
}

static void fill_arrays(Broker *broker, const ControlRequest *request)
{
    if (!request->exchanged)
        pin_buffers(broker);
    for (uint32_t i = 0; i < request->argument_count && ok(broker); i++) {
        const ControlArgument *argument = &request->arguments[i];
        if (argument->role == ARGUMENT_INPUT)
            check(broker, take_input(broker, request->exchanged, &argument->span, broker->arrays[i]),
                  "copy of the inputs");
        else if (argument->role == ARGUMENT_OUTPUT)
            poison(broker, argument, request->uninitialised_byte, broker->arrays[i]);
    }
}

/* ---- arrays after the call --------------------------------------------------------------------------------------- */

/* A piece at a time: a second copy of the inputs in host memory would double what a grading needs. */
static bool input_changed(Broker *broker, const ControlArgument *input, uint64_t address)
{
    static uint8_t piece[PIECE_BYTES];
    for (uint64_t done = 0; done < input->span.bytes && ok(broker); done += PIECE_BYTES) {
        uint64_t left = input->span.bytes - done, count = left < PIECE_BYTES ? left : PIECE_BYTES;
        check(broker, broker->device->copies->read(broker->device, piece, address + done, count, NULL), "reading");
        if (ok(broker) && memcmp(piece, broker->buffers + input->span.offset + done, count) != 0)
            return true;
    }
    return false;
}

static CudaError hand_out(Broker *broker, bool exchanged, const ControlSpan *span, uint64_t address)
{
    Device *device = broker->device;
    if (exchanged)
        return device->exchange->put(device, span->offset, address, span->bytes);
    return device->copies->read(device, broker->buffers + span->offset, address, span->bytes, NULL);
}

static void read_arrays(Broker *broker, const ControlRequest *request)
{
    Device *device = broker->device;
    CallReport *report = &broker->reply.report;
    for (uint32_t i = 0; i < request->argument_count && ok(broker); i++) {
        const ControlArgument *argument = &request->arguments[i];
        if (argument->role == ARGUMENT_INPUT && request->check_inputs)
            report->input_changed = report->input_changed || input_changed(broker, argument, broker->arrays[i]);
        else if (argument->role == ARGUMENT_OUTPUT) {
            report->kernel_wrote_output = device->memory->kernel_wrote(device, broker->arrays[i]);
            check(broker, hand_out(broker, request->exchanged, &argument->span, broker->arrays[i]),
                  "reading of the output");
        }
    }
}

static void release_arrays(Broker *broker)
{
    for (size_t i = 0; i < CALL_MAX_PARAMETERS; i++) {
        if (broker->arrays[i] != 0)
            check(broker, broker->device->memory->release(broker->device, broker->arrays[i]), "release");
        broker->arrays[i] = 0;
    }
}

/* ---- what is said about it --------------------------------------------------------------------------------------- */

static void say(CallReport *report, CallOutcome outcome, const char *text)
{
    report->outcome = outcome;
    snprintf(report->text, sizeof report->text, "%s", text);
}

/* What the device cannot run is a limit of the judge, not a mistake of the student, and the sentence says so. */
static void say_unsupported(Broker *broker, const char *text)
{
    CallReport *report = &broker->reply.report;
    const char *whose = broker->device->info.modelled ? "a limit of the simulated GPU: " : "";
    report->outcome = CALL_UNSUPPORTED;
    snprintf(report->text, sizeof report->text, "%s%.*s", whose, (int)(sizeof report->text - 1 - strlen(whose)), text);
}

static const CallOutcome FAULT_OUTCOMES[] = {
    [DEVICE_FAULT] = CALL_RUN_TIME_ERROR,
    [DEVICE_TIME_LIMIT] = CALL_TIME_LIMIT,
};

static void conclude(Broker *broker)
{
    CallReport *report = &broker->reply.report;
    DeviceFault fault;
    char text[200];
    broker->device->report->fault(broker->device, &fault);
    if (broker->end == SERVE_VIOLATION) {
        say(report, CALL_INTEGRITY_VIOLATION, broker->end_text);
    } else if (fault.kind != DEVICE_NO_FAULT && fault.kind != DEVICE_BAD_LAUNCH) {
        if (fault.kind == DEVICE_UNSUPPORTED)
            say_unsupported(broker, fault.text);
        else
            say(report, FAULT_OUTCOMES[fault.kind], fault.text);
    } else if (broker->end == SERVE_UNSUPPORTED) {
        say_unsupported(broker, broker->end_text);
    } else if (broker->end == SERVE_HOST_TIME) {
        snprintf(text, sizeof text, "the host code kept the device waiting for more than %g s",
                 broker->limits.host_seconds);
        say(report, CALL_TIME_LIMIT, text);
    } else if (broker->end == SERVE_LOAD_FAILED && !broker->reply.host_memory_refused) {
        say(report, CALL_RUN_TIME_ERROR, broker->end_text);
    }
    memcpy(report->not_provided, broker->not_provided, sizeof report->not_provided);
    broker->reply.runner_gone = broker->end != SERVE_DONE && report->outcome == CALL_OK;
}

static void begin(Broker *broker)
{
    Device *device = broker->device;
    broker->reply = (ControlReply){.report = {.kernel_wrote_output = -1}};
    broker->posted_error = CUDA_ERROR_SUCCESS;
    device->report->reset(device);
    if (device->simulation != NULL)
        device->simulation->set_budget(device, broker->limits.warp_instructions);
    if (device->hardware != NULL)
        device->hardware->set_time_limit(device, broker->limits.device_seconds);
}

/* ---- how kernels get at an input --------------------------------------------------------------------------------- */

static uint32_t other_word(uint32_t word)
{
    float value;
    memcpy(&value, &word, sizeof value);
    value = call_probe_value(value);
    memcpy(&word, &value, sizeof word);
    return word;
}

static void start_probe(Broker *broker, const ControlArgument *input, DeviceProbe *probe)
{
    const uint32_t *words = (const void *)(broker->buffers + input->span.offset);
    uint32_t *others = malloc(input->span.bytes);
    probe->count = input->span.bytes / sizeof *words;
    probe->words = words;
    probe->others = others;
    for (size_t i = 0; others != NULL && i < probe->count; i++)
        others[i] = other_word(words[i]);
    if (others == NULL)
        broker->reply.status = fail_errno(&broker->reply.why, "a probe's memory");
    else if (broker->device->simulation == NULL)
        broker->reply.status = fail(STATUS_UNSUPPORTED, &broker->reply.why, "%s: kernels cannot be probed here",
                                    broker->device->info.name);
    else
        broker->device->simulation->set_probe(broker->device, probe);
}

static void probe_begin(Broker *broker, const ControlRequest *request, DeviceProbe *probe)
{
    *probe = (DeviceProbe){0};
    for (uint32_t i = 0; i < request->argument_count; i++) {
        if (request->arguments[i].role == ARGUMENT_OUTPUT)
            probe->target = broker->arrays[i];
        if (request->arguments[i].probed) {
            probe->source = broker->arrays[i];
            start_probe(broker, &request->arguments[i], probe);
        }
    }
}

static void probe_end(Broker *broker, DeviceProbe *probe)
{
    if (probe->source != 0 && broker->device->simulation != NULL)
        broker->device->simulation->set_probe(broker->device, NULL);
    memcpy(broker->reply.report.direct_load, probe->direct_load, sizeof probe->direct_load);
    free((void *)probe->others);
}

/* ---- what kernels do, by source line ----------------------------------------------------------------------------- */

static void profile_begin(Broker *broker)
{
    if (broker->profile == NULL)
        return;
    memset(broker->profile, 0, sizeof *broker->profile);
    broker->device->simulation->set_profile(broker->device, broker->profile);
}

/* What the judge itself copies afterwards is none of the submission's. */
static void profile_end(Broker *broker)
{
    if (broker->profile != NULL)
        broker->device->simulation->set_profile(broker->device, NULL);
}

/* ---- what kernels do that they should not ------------------------------------------------------------------------ */

static void check_begin(Broker *broker, const ControlRequest *request, DeviceCheck *check)
{
    *check = (DeviceCheck){.is_watched = request->is_watched,
                           .is_untimed = request->is_untimed,
                           .uninitialised_byte = request->uninitialised_byte};
    for (uint32_t i = 0; i < request->argument_count; i++) {
        const ControlArgument *argument = &request->arguments[i];
        if (is_array(argument))
            check->arrays[check->array_count++] = (DeviceNamed){.name = argument->name,
                                                                .address = broker->arrays[i],
                                                                .bytes = argument->span.bytes,
                                                                .element_bytes = argument->element_bytes,
                                                                .is_unwritten = request->is_watched &&
                                                                                argument->role == ARGUMENT_OUTPUT};
    }
    if (broker->device->simulation != NULL)
        broker->device->simulation->set_check(broker->device, check);
}

static void check_end(Broker *broker, const DeviceCheck *check)
{
    if (broker->device->simulation != NULL)
        broker->device->simulation->set_check(broker->device, NULL);
    broker->reply.report.findings = check->findings;
}

/* ---- loading and calling ----------------------------------------------------------------------------------------- */

void broker_load(Broker *broker)
{
    begin(broker);
    broker->not_provided[0] = '\0';
    broker->device->memory->set_limit(broker->device, broker->limits.device_bytes);
    broker_serve(broker, RING_READY);
    conclude(broker);
}

static void tell_runner(Broker *broker, const ControlRequest *request)
{
    RingCommand command = {0};
    for (uint32_t i = 0; i < request->argument_count; i++)
        command.word[i] = is_array(&request->arguments[i]) ? broker->arrays[i] : request->arguments[i].value;
    ring_command(broker->reader.ring, &command);
}

void broker_call(Broker *broker, const ControlRequest *request)
{
    Device *device = broker->device;
    CallReport *report = &broker->reply.report;
    DeviceProbe probe;
    DeviceCheck checked;
    begin(broker);
    allocate_arrays(broker, request);
    fill_arrays(broker, request);
    check(broker, device->streams->synchronize_all(device), "synchronisation");
    if (ok(broker))
        probe_begin(broker, request, &probe);
    if (!ok(broker))
        return;
    check_begin(broker, request, &checked);
    DeviceBracket bracket;
    check(broker, device->timing->begin(device), "bracket");
    device->report->reset(device);
    profile_begin(broker);
    tell_runner(broker, request);
    broker_serve(broker, RING_RETURNED);
    CudaError error = device->timing->end(device, &bracket);
    profile_end(broker);
    probe_end(broker, &probe);
    check_end(broker, &checked);
    report->event_s = bracket.event_s;
    report->host_s = bracket.host_s;
    report->pending_at_return = bracket.pending;
    device->report->statistics(device, &report->statistics);
    conclude(broker);
    if (report->outcome != CALL_OK || broker->reply.runner_gone)
        return; /* this broker is not used again */
    check(broker, error, "synchronisation");
    read_arrays(broker, request);
    release_arrays(broker);
}
