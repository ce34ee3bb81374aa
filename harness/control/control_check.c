#include "harness/control/control_check.h"

#include "base/text.h"
#include "harness/device/sim/execution_profile.h"

#include <math.h>
#include <sys/stat.h>

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static bool lies_within(const ControlSpan *span, uint64_t bytes)
{
    return span->offset <= bytes && span->bytes <= bytes - span->offset;
}

/* An access past the end of shared memory would be a SIGBUS. */
static bool has_bytes(int descriptor, uint64_t bytes)
{
    struct stat facts;
    return descriptor >= 0 && fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode) &&
           (uint64_t)facts.st_size >= bytes;
}

static bool is_duration(double seconds)
{
    return isfinite(seconds) && seconds >= 0;
}

/* A bool whose byte is neither 0 nor 1 could be both true and false. */
static bool are_flags(const bool *const *flags, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (*(const unsigned char *)flags[i] > 1)
            return false;
    return true;
}
#define ARE_FLAGS(...)                                                                                                 \
    are_flags((const bool *const[]){__VA_ARGS__}, sizeof(const bool *[]){__VA_ARGS__} / sizeof(bool *))

static bool is_order(const DeviceOrder *order)
{
    return order->kind <= DEVICE_ORDER_DRAWN && ARE_FLAGS(&order->is_exact);
}

static bool is_valid_load(const ControlRequest *request, const int *descriptors)
{
    if (request->module_count > CONTROL_MAX_MODULES || !has_bytes(descriptors[1], request->memory_bytes) ||
        !is_duration(request->limits.host_seconds) || !is_duration(request->limits.device_seconds) ||
        !is_duration(request->seconds_left))
        return false;
    for (uint32_t i = 0; i < request->module_count; i++)
        if (!lies_within(&request->modules[i], request->memory_bytes))
            return false;
    return true;
}

/* A probe reads its array as 32-bit words. */
static bool may_be_probed(const ControlArgument *argument)
{
    return argument->role == ARGUMENT_INPUT && argument->span.offset % sizeof(uint32_t) == 0;
}

static bool is_valid_argument(const ControlArgument *argument, uint64_t buffer_bytes)
{
    return ARE_FLAGS(&argument->float_output, &argument->probed) && argument->role <= ARGUMENT_VALUE &&
           text_is_terminated(argument->name, sizeof argument->name) && lies_within(&argument->span, buffer_bytes) &&
           (!argument->probed || may_be_probed(argument));
}

static bool is_valid_call(const ControlRequest *request, const ControlState *state)
{
    uint32_t probed = 0;
    if (!ARE_FLAGS(&request->check_inputs, &request->exchanged, &request->sanitize, &request->is_untimed,
                   &request->samples_blocks, &request->is_secret, &request->repeats_addresses) ||
        !is_order(&request->order))
        return false;
    if (request->argument_count > CALL_MAX_PARAMETERS || (request->exchanged && !state->has_exchange) ||
        !is_duration(request->seconds_left))
        return false;
    for (uint32_t i = 0; i < request->argument_count; i++) {
        if (!is_valid_argument(&request->arguments[i], state->buffer_bytes))
            return false;
        probed += request->arguments[i].probed;
    }
    return probed <= (state->is_simulated ? 1 : 0);
}

bool control_request_is_valid(const ControlRequest *request, const int descriptors[CONTROL_MAX_DESCRIPTORS],
                              const ControlState *state)
{
    switch (request->kind) {
    case CONTROL_OPEN: return !state->is_open;
    case CONTROL_LOAD: return state->is_open && !state->has_runner && is_valid_load(request, descriptors);
    case CONTROL_BUFFERS:
        return state->is_open && request->memory_bytes > 0 && has_bytes(descriptors[0], request->memory_bytes);
    case CONTROL_EXCHANGE: return state->is_open && descriptors[0] >= 0 && request->memory_bytes == state->buffer_bytes;
    case CONTROL_PROFILE:
        return state->is_open && state->is_simulated && request->memory_bytes == sizeof(ExecutionProfile) &&
               has_bytes(descriptors[0], request->memory_bytes);
    case CONTROL_CALL: return state->has_runner && is_valid_call(request, state);
    case CONTROL_RUNNER_GONE: return state->is_open;
    }
    return false; /* the number is not a ControlKind */
}

/* ---- replies ----------------------------------------------------------------------------------------------------- */

#define IS_TERMINATED(text) text_is_terminated(text, sizeof text)

static bool is_mistake(const Mistake *mistake)
{
    return mistake->kind < MISTAKE_KINDS && mistake->line >= 0 && mistake->side < MISTAKE_SIDES &&
           IS_TERMINATED(mistake->array) && IS_TERMINATED(mistake->kernel);
}

static bool are_conflicts(const DeviceConflicts *conflicts)
{
    if (conflicts->count > DEVICE_MAX_CONFLICTS || !ARE_FLAGS(&conflicts->is_fault_unordered))
        return false;
    for (uint32_t i = 0; i < conflicts->count; i++) {
        const DeviceConflict *item = &conflicts->items[i];
        if (!is_mistake(&item->mistake) || !is_order(&item->order) ||
            !ARE_FLAGS(&item->is_race, &item->is_of_function) || !IS_TERMINATED(item->first.name) ||
            !IS_TERMINATED(item->second.name) || !IS_TERMINATED(item->place))
            return false;
    }
    return true;
}

static bool is_valid_report(const CallReport *report)
{
    if (report->findings.count > DEVICE_MAX_FINDINGS || report->printed.data != NULL)
        return false;
    for (uint32_t i = 0; i < report->findings.count; i++) {
        const DeviceFinding *item = &report->findings.items[i];
        if (!is_mistake(&item->mistake))
            return false;
        if (!IS_TERMINATED(item->text) || !ARE_FLAGS(&item->is_undefined, &item->is_unwritten, &item->is_global))
            return false;
    }
    if (report->output_origin > ORIGIN_HOST || !are_conflicts(&report->conflicts) ||
        !ARE_FLAGS(&report->allocation_refused, &report->input_changed, &report->output_copied,
                   &report->pending_at_return, &report->statistics.has_counters, &report->statistics.is_sample_unsound))
        return false;
    return report->outcome <= CALL_INTEGRITY_VIOLATION && report->phase <= PHASE_SOLVE &&
           is_mistake(&report->mistake) && report->first_error_kind < MISTAKE_KINDS && report->direct_line >= 0 &&
           IS_TERMINATED(report->text) && IS_TERMINATED(report->first_error_text) &&
           IS_TERMINATED(report->not_provided) && IS_TERMINATED(report->direct_load) &&
           IS_TERMINATED(report->statistics.limiter) && IS_TERMINATED(report->statistics.longest);
}

bool control_reply_is_valid(const ControlReply *reply)
{
    const DeviceInfo *device = &reply->device;
    return reply->status <= STATUS_SYSTEM && IS_TERMINATED(reply->why.text) && IS_TERMINATED(device->handle) &&
           IS_TERMINATED(device->id) && IS_TERMINATED(device->name) && IS_TERMINATED(device->uuid) &&
           IS_TERMINATED(device->driver) && IS_TERMINATED(device->passed_over) && IS_TERMINATED(device->unconfined) &&
           ARE_FLAGS(&device->modelled, &device->calibrated, &device->pageable_access, &reply->runner_gone,
                     &reply->host_memory_refused) &&
           reply->printed_bytes <= CONTROL_MAX_PRINTED && is_valid_report(&reply->report);
}
