#include "harness/control/control_check.h"

#include "base/text.h"

#include <math.h>
#include <sys/stat.h>

static bool lies_within(const ControlSpan *span, uint64_t bytes)
{
    return span->offset <= bytes && span->bytes <= bytes - span->offset;
}

/* Shared memory that is shorter than what is said of it would be a SIGBUS. */
static bool holds(int descriptor, uint64_t bytes)
{
    struct stat facts;
    return descriptor >= 0 && fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode) &&
           (uint64_t)facts.st_size >= bytes;
}

static bool is_duration(double seconds)
{
    return isfinite(seconds) && seconds >= 0;
}

/* Another byte in a bool could be both true and false. */
static bool are_flags(const bool *const *flags, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (*(const unsigned char *)flags[i] > 1)
            return false;
    return true;
}
#define ARE_FLAGS(...)                                                                                                 \
    are_flags((const bool *const[]){__VA_ARGS__}, sizeof(const bool *[]){__VA_ARGS__} / sizeof(bool *))

static bool is_honest_load(const ControlRequest *request, const int *descriptors)
{
    if (request->module_count > CONTROL_MAX_MODULES || !holds(descriptors[1], request->memory_bytes) ||
        !is_duration(request->limits.host_seconds) || !is_duration(request->limits.device_seconds))
        return false;
    for (uint32_t i = 0; i < request->module_count; i++)
        if (!lies_within(&request->modules[i], request->memory_bytes))
            return false;
    return true;
}

/* A probe goes through its array word by word. */
static bool may_be_probed(const ControlArgument *argument)
{
    return argument->role == ARGUMENT_INPUT && argument->span.offset % sizeof(uint32_t) == 0;
}

static bool is_honest_argument(const ControlArgument *argument, uint64_t buffer_bytes)
{
    return ARE_FLAGS(&argument->float_output, &argument->probed) && argument->role <= ARGUMENT_VALUE &&
           text_is_terminated(argument->name, sizeof argument->name) && lies_within(&argument->span, buffer_bytes) &&
           (!argument->probed || may_be_probed(argument));
}

static bool is_honest_call(const ControlRequest *request, uint64_t buffer_bytes, bool has_exchange)
{
    uint32_t probed = 0;
    if (!ARE_FLAGS(&request->check_inputs, &request->exchanged, &request->is_watched, &request->is_untimed))
        return false;
    if (request->argument_count > SESSION_MAX_PARAMETERS || (request->exchanged && !has_exchange))
        return false;
    for (uint32_t i = 0; i < request->argument_count; i++) {
        if (!is_honest_argument(&request->arguments[i], buffer_bytes))
            return false;
        probed += request->arguments[i].probed;
    }
    return probed <= 1;
}

bool control_is_honest(const ControlRequest *request, const int descriptors[CONTROL_MAX_DESCRIPTORS],
                       const ControlState *state)
{
    switch (request->kind) {
    case CONTROL_OPEN: return !state->is_open;
    case CONTROL_LOAD: return state->is_open && !state->has_runner && is_honest_load(request, descriptors);
    case CONTROL_BUFFERS:
        return state->is_open && request->memory_bytes > 0 && holds(descriptors[0], request->memory_bytes);
    case CONTROL_EXCHANGE: return state->is_open && descriptors[0] >= 0 && request->memory_bytes == state->buffer_bytes;
    case CONTROL_PROFILE:
        return state->is_open && request->memory_bytes == sizeof(ExecutionProfile) &&
               holds(descriptors[0], request->memory_bytes);
    case CONTROL_CALL: return state->has_runner && is_honest_call(request, state->buffer_bytes, state->has_exchange);
    case CONTROL_RUNNER_GONE: return state->is_open;
    }
    return false;
}

/* ---- what an honest broker answers ------------------------------------------------------------------------------- */

#define ENDS(text) text_is_terminated(text, sizeof text)

static bool is_honest_report(const CallReport *report)
{
    if (report->findings.count > DEVICE_MAX_FINDINGS)
        return false;
    for (uint32_t i = 0; i < report->findings.count; i++) {
        const DeviceFinding *item = &report->findings.items[i];
        if (!ENDS(item->text) || !ARE_FLAGS(&item->is_undefined, &item->is_unwritten, &item->is_global))
            return false;
    }
    if (!ARE_FLAGS(&report->allocation_refused, &report->input_changed, &report->pending_at_return,
                   &report->statistics.has_counters))
        return false;
    return report->outcome <= CALL_INTEGRITY_VIOLATION && ENDS(report->text) && ENDS(report->first_error_text) &&
           ENDS(report->not_provided) && ENDS(report->direct_load) && ENDS(report->statistics.limiter) &&
           ENDS(report->statistics.longest);
}

bool control_is_honest_reply(const ControlReply *reply)
{
    const DeviceInfo *device = &reply->device;
    return reply->status <= STATUS_SYSTEM && ENDS(reply->why.text) && ENDS(device->handle) && ENDS(device->id) &&
           ENDS(device->name) && ENDS(device->uuid) && ENDS(device->driver) && ENDS(device->passed_over) &&
           ARE_FLAGS(&device->modelled, &device->calibrated, &device->pageable_access, &reply->runner_gone,
                     &reply->host_memory_refused) &&
           reply->printed_bytes <= CONTROL_MAX_PRINTED && is_honest_report(&reply->report);
}
