#include "base/clock.h"
#include "base/symbol.h"
#include "harness/broker_state.h"
#include "harness/device/launch_check.h"

#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every request is hostile until checked: it was copied out of the shared memory, its kind is known, its length is
 * exactly right, every number in it is looked up and every range of addresses must be owned. */

/* What a device holds back, it holds no longer than this when nothing more comes. */
static const double HOLD_SECONDS = 0.02;

static void violation(Broker *broker, const char *text)
{
    broker->end = SERVE_VIOLATION;
    snprintf(broker->end_text, sizeof broker->end_text, "%s", text);
}

static void malformed(Broker *broker)
{
    violation(broker, "the submission tampered with the judge's own channel: a malformed request");
}

const uint64_t *broker_words(const Broker *broker)
{
    return ((const RingWords *)broker->record.body)->word;
}

static bool is_terminated(const char *text, size_t size)
{
    return memchr(text, '\0', size) != NULL;
}

/* ---- errors, for the report -------------------------------------------------------------------------------------- */

void broker_note_error(Broker *broker, CudaError error, const char *call, const char *hint)
{
    CallReport *report = &broker->reply.report;
    if (error == CUDA_ERROR_SUCCESS || report->first_error != CUDA_ERROR_SUCCESS)
        return;
    report->first_error = error;
    snprintf(report->first_error_text, sizeof report->first_error_text, hint[0] == '\0' ? "%s: %s" : "%s: %s (%s)",
             call, cuda_error_text(error), hint);
}

static CudaError serve_note_error(Broker *broker, RingReply *reply)
{
    const RingNote *note = (const RingNote *)broker->record.body;
    if (is_terminated(note->call, sizeof note->call))
        broker_note_error(broker, note->error, note->call, "");
    else
        malformed(broker);
    return CUDA_ERROR_SUCCESS;
}

static CudaError serve_note_missing(Broker *broker, RingReply *reply)
{
    const RingNote *note = (const RingNote *)broker->record.body;
    if (is_terminated(note->call, sizeof note->call))
        broker_note_error(broker, CUDA_ERROR_NOT_SUPPORTED, note->call, "this judge does not provide it");
    else
        malformed(broker);
    return CUDA_ERROR_SUCCESS;
}

static CudaError serve_note_memory(Broker *broker, RingReply *reply)
{
    broker->reply.host_memory_refused = true;
    return CUDA_ERROR_SUCCESS;
}

static CudaError serve_nothing(Broker *broker, RingReply *reply)
{
    return CUDA_ERROR_SUCCESS;
}

static CudaError serve_load_failed(Broker *broker, RingReply *reply)
{
    broker->end = SERVE_LOAD_FAILED;
    snprintf(broker->end_text, sizeof broker->end_text, "%.*s", (int)broker->record.head.body_bytes,
             (const char *)broker->record.body);
    return CUDA_ERROR_SUCCESS;
}

/* ---- modules ----------------------------------------------------------------------------------------------------- */

/* The one of nvcc's modules that equals what the runner holds, byte for byte. */
static BrokerModule *find_module(Broker *broker, const uint8_t *image, size_t bytes)
{
    for (size_t i = 0; i < broker->module_count; i++)
        if (broker->modules[i].bytes == bytes && memcmp(broker->modules[i].image, image, bytes) == 0)
            return &broker->modules[i];
    return NULL;
}

/* The grader's copy is what gets loaded; the runner's may change while it is compared, and nothing comes of it. */
static CudaError serve_module(Broker *broker, RingReply *reply)
{
    uint64_t bytes = broker_words(broker)[0];
    BrokerModule *module = NULL;
    if (bytes <= RING_STAGING_BYTES)
        module = find_module(broker, broker->reader.ring->staging, bytes);
    if (module == NULL) {
        violation(broker, "the submission registered GPU code that nvcc did not compile from its source");
        return CUDA_ERROR_INVALID_KERNEL_IMAGE;
    }
    reply->value[0] = (uint64_t)(module - broker->modules);
    Message why;
    if (module->loaded == NULL &&
        broker->device->ops->module_load(broker->device, module->image, module->bytes, &module->loaded, &why) !=
            STATUS_OK) {
        module->loaded = NULL;
        broker->end = SERVE_UNSUPPORTED;
        snprintf(broker->end_text, sizeof broker->end_text, "%.*s", (int)sizeof broker->end_text - 1, why.text);
        return CUDA_ERROR_INVALID_KERNEL_IMAGE;
    }
    return CUDA_ERROR_SUCCESS;
}

/* The loaded module that a RingName speaks of; NULL where there is none. */
static DeviceModule *named_module(Broker *broker, const RingName *name)
{
    if (!is_terminated(name->name, sizeof name->name)) {
        malformed(broker);
        return NULL;
    }
    return name->module < broker->module_count ? broker->modules[name->module].loaded : NULL;
}

static void tell_function(Broker *broker, DeviceFunction *function)
{
    DeviceFunctionInfo info;
    broker->device->ops->function_info(function, &info);
    uint32_t count = info.parameter_count < RING_MAX_PARAMETERS ? info.parameter_count : RING_MAX_PARAMETERS;
    RingFunctionInfo *told = (RingFunctionInfo *)broker->reader.ring->staging;
    *told = (RingFunctionInfo){
        .parameter_count = count,
        .parameter_bytes = info.parameter_bytes,
        .registers = info.registers,
        .static_shared_bytes = info.static_shared_bytes,
        .local_bytes = info.local_bytes,
        .constant_bytes = info.constant_bytes,
        .max_threads_per_block = info.max_threads_per_block,
        .max_dynamic_shared_bytes = info.max_dynamic_shared_bytes,
        .ptx_version = info.ptx_version,
        .binary_version = info.binary_version,
    };
    memcpy(told->offsets, info.parameter_offsets, count * sizeof *told->offsets);
    memcpy(told->sizes, info.parameter_sizes, count * sizeof *told->sizes);
}

static CudaError serve_function(Broker *broker, RingReply *reply)
{
    const RingName *name = (const RingName *)broker->record.body;
    DeviceModule *module = named_module(broker, name);
    DeviceFunction *function = module == NULL ? NULL : broker->device->ops->function(module, name->name);
    if (function == NULL)
        return CUDA_ERROR_INVALID_DEVICE_FUNCTION;
    BrokerFunction *known = malloc(sizeof *known);
    if (known == NULL)
        return CUDA_ERROR_MEMORY_ALLOCATION;
    known->function = function;
    memcpy(known->name, name->name, sizeof known->name);
    reply->value[0] = handles_add(&broker->functions, known);
    tell_function(broker, function);
    return reply->value[0] == 0 ? CUDA_ERROR_MEMORY_ALLOCATION : CUDA_ERROR_SUCCESS;
}

static CudaError serve_variable(Broker *broker, RingReply *reply)
{
    const RingName *name = (const RingName *)broker->record.body;
    DeviceModule *module = named_module(broker, name);
    bool found = module != NULL &&
                 broker->device->ops->variable(module, name->name, &reply->value[0], &reply->value[1]);
    return found ? CUDA_ERROR_SUCCESS : CUDA_ERROR_INVALID_SYMBOL;
}

static BrokerFunction *function_of(Broker *broker, uint64_t number)
{
    return handles_get(&broker->functions, number);
}

static CudaError serve_set_shared(Broker *broker, RingReply *reply)
{
    BrokerFunction *known = function_of(broker, broker_words(broker)[0]);
    uint64_t bytes = broker_words(broker)[1];
    if (known == NULL)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    if (bytes > UINT32_MAX)
        return CUDA_ERROR_INVALID_VALUE;
    return broker->device->ops->function_set_dynamic_shared(known->function, (uint32_t)bytes);
}

static CudaError serve_occupancy(Broker *broker, RingReply *reply)
{
    BrokerFunction *known = function_of(broker, broker_words(broker)[0]);
    uint64_t threads = broker_words(broker)[1], bytes = broker_words(broker)[2];
    if (known == NULL)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    if (threads <= UINT32_MAX && bytes <= UINT32_MAX)
        reply->value[0] = broker->device->ops->occupancy(broker->device, known->function, (uint32_t)threads,
                                                         (uint32_t)bytes);
    return CUDA_ERROR_SUCCESS;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static bool is_judges_array(const Broker *broker, uint64_t address)
{
    for (size_t i = 0; i < SESSION_MAX_PARAMETERS; i++)
        if (broker->arrays[i] != 0 && broker->arrays[i] == address)
            return true;
    return false;
}

static CudaError serve_alloc(Broker *broker, RingReply *reply)
{
    uint64_t bytes = broker_words(broker)[0];
    if (bytes == 0)
        return CUDA_ERROR_INVALID_VALUE;
    CudaError error = broker->device->ops->alloc(broker->device, bytes, &reply->value[0]);
    if (error == CUDA_ERROR_MEMORY_ALLOCATION)
        broker->reply.report.allocation_refused = true;
    return error;
}

/* solve() may not free what it was given: the judge still reads it. */
static CudaError serve_release(Broker *broker, RingReply *reply)
{
    uint64_t address = broker_words(broker)[0];
    if (is_judges_array(broker, address))
        return CUDA_ERROR_INVALID_VALUE;
    return broker->device->ops->release(broker->device, address);
}

static CudaError serve_memory_info(Broker *broker, RingReply *reply)
{
    uint64_t all = broker->device->info.memory_bytes;
    uint64_t used = broker->device->ops->allocated_bytes(broker->device);
    reply->value[0] = used < all ? all - used : 0;
    reply->value[1] = all;
    return CUDA_ERROR_SUCCESS;
}

bool broker_owns(Broker *broker, uint64_t address, uint64_t bytes)
{
    return bytes <= DEVICE_SPAN && broker->device->ops->owns(broker->device, address, bytes);
}

static CudaError serve_owned(Broker *broker, RingReply *reply)
{
    uint64_t address = broker_words(broker)[0], bytes = broker_words(broker)[1];
    return broker_owns(broker, address, bytes) ? CUDA_ERROR_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

bool broker_stream(Broker *broker, uint64_t number, DeviceStream **stream)
{
    *stream = number == 0 ? NULL : handles_get(&broker->streams, number);
    return number == 0 || *stream != NULL;
}

static CudaError serve_write(Broker *broker, RingReply *reply)
{
    uint64_t to = broker_words(broker)[0], bytes = broker_words(broker)[1];
    DeviceStream *stream;
    if (!broker_stream(broker, broker_words(broker)[2], &stream))
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    if (bytes > RING_STAGING_BYTES || !broker_owns(broker, to, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    return broker->device->ops->write(broker->device, to, broker->reader.ring->staging, bytes, stream);
}

static CudaError serve_read(Broker *broker, RingReply *reply)
{
    uint64_t from = broker_words(broker)[0], bytes = broker_words(broker)[1];
    DeviceStream *stream;
    if (!broker_stream(broker, broker_words(broker)[2], &stream))
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    if (bytes > RING_STAGING_BYTES || !broker_owns(broker, from, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    return broker->device->ops->read(broker->device, broker->reader.ring->staging, from, bytes, stream);
}

static CudaError serve_copy(Broker *broker, RingReply *reply)
{
    uint64_t to = broker_words(broker)[0], from = broker_words(broker)[1], bytes = broker_words(broker)[2];
    DeviceStream *stream;
    if (!broker_stream(broker, broker_words(broker)[3], &stream))
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    if (!broker_owns(broker, to, bytes) || !broker_owns(broker, from, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    return broker->device->ops->copy(broker->device, to, from, bytes, stream);
}

static CudaError serve_fill(Broker *broker, RingReply *reply)
{
    uint64_t to = broker_words(broker)[0], value = broker_words(broker)[1], bytes = broker_words(broker)[2];
    DeviceStream *stream;
    if (!broker_stream(broker, broker_words(broker)[3], &stream))
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    if (!broker_owns(broker, to, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    return broker->device->ops->fill(broker->device, to, (uint8_t)value, bytes, stream);
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

static void note_launch_error(Broker *broker, CudaError error, const BrokerFunction *known, const RingLaunch *launch,
                              const char *hint)
{
    char name[120], what[200];
    symbol_name(known->name, name, sizeof name);
    snprintf(what, sizeof what, "launch of %s<<<(%u,%u,%u),(%u,%u,%u)>>>", name, launch->grid[0], launch->grid[1],
             launch->grid[2], launch->block[0], launch->block[1], launch->block[2]);
    broker_note_error(broker, error, what, hint);
}

/* A fault that an earlier kernel left behind is not this launch's doing. */
static bool device_failed(Broker *broker, DeviceFault *fault)
{
    broker->device->ops->fault(broker->device, fault);
    return fault->kind != DEVICE_NO_FAULT && fault->kind != DEVICE_BAD_LAUNCH;
}

static CudaError launch_known(Broker *broker, const BrokerFunction *known, const RingLaunch *head, DeviceStream *stream)
{
    const DeviceOps *ops = broker->device->ops;
    DeviceLaunch launch = {.function = known->function,
                           .grid = {head->grid[0], head->grid[1], head->grid[2]},
                           .block = {head->block[0], head->block[1], head->block[2]},
                           .dynamic_shared_bytes = head->dynamic_shared_bytes < UINT32_MAX
                                                       ? (uint32_t)head->dynamic_shared_bytes : UINT32_MAX,
                           .parameters = head + 1,
                           .parameter_bytes = head->parameter_bytes,
                           .stream = stream};
    DeviceFunctionInfo info;
    DeviceFault fault;
    char hint[200];
    if (device_failed(broker, &fault))
        return ops->launch(broker->device, &launch);
    ops->function_info(known->function, &info);
    launch_check(&broker->device->info, &info, &launch, hint, sizeof hint);
    CudaError error = ops->launch(broker->device, &launch);
    note_launch_error(broker, error, known, head, hint);
    if (device_failed(broker, &fault) && fault.kind == DEVICE_TIME_LIMIT)
        broker->end = SERVE_DEVICE_TIME;
    return error;
}

static CudaError serve_launch(Broker *broker, RingReply *reply)
{
    const RingLaunch *head = (const RingLaunch *)broker->record.body;
    BrokerFunction *known = function_of(broker, head->function);
    DeviceStream *stream;
    DeviceFunctionInfo info;
    if (broker->record.head.body_bytes != sizeof *head + (uint64_t)head->parameter_bytes) {
        malformed(broker);
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (known == NULL)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    if (!broker_stream(broker, head->stream, &stream)) {
        note_launch_error(broker, CUDA_ERROR_INVALID_RESOURCE_HANDLE, known, head, "there is no such stream");
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    }
    broker->device->ops->function_info(known->function, &info);
    if (head->parameter_bytes != info.parameter_bytes) {
        malformed(broker);
        return CUDA_ERROR_INVALID_VALUE;
    }
    return launch_known(broker, known, head, stream);
}

/* ---- streams and events ------------------------------------------------------------------------------------------ */

static CudaError serve_synchronize(Broker *broker, RingReply *reply)
{
    return broker->device->ops->synchronize(broker->device);
}

static CudaError serve_stream_new(Broker *broker, RingReply *reply)
{
    DeviceStream *stream;
    CudaError error = broker->device->ops->stream_new(broker->device, broker_words(broker)[0] != 0, &stream);
    if (error != CUDA_ERROR_SUCCESS)
        return error;
    reply->value[0] = handles_add(&broker->streams, stream);
    if (reply->value[0] == 0)
        broker->device->ops->stream_free(broker->device, stream);
    return reply->value[0] == 0 ? CUDA_ERROR_MEMORY_ALLOCATION : CUDA_ERROR_SUCCESS;
}

static CudaError serve_stream_free(Broker *broker, RingReply *reply)
{
    DeviceStream *stream = handles_remove(&broker->streams, broker_words(broker)[0]);
    return stream == NULL ? CUDA_ERROR_INVALID_RESOURCE_HANDLE
                          : broker->device->ops->stream_free(broker->device, stream);
}

static CudaError serve_stream_synchronize(Broker *broker, RingReply *reply)
{
    DeviceStream *stream;
    if (!broker_stream(broker, broker_words(broker)[0], &stream))
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    return broker->device->ops->stream_synchronize(broker->device, stream);
}

static CudaError serve_stream_query(Broker *broker, RingReply *reply)
{
    DeviceStream *stream;
    if (!broker_stream(broker, broker_words(broker)[0], &stream))
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    return broker->device->ops->stream_query(broker->device, stream);
}

static BrokerEvent *event_of(Broker *broker, int position)
{
    return handles_get(&broker->events, broker_words(broker)[position]);
}

static CudaError serve_stream_wait(Broker *broker, RingReply *reply)
{
    DeviceStream *stream;
    BrokerEvent *event = event_of(broker, 1);
    if (!broker_stream(broker, broker_words(broker)[0], &stream) || event == NULL)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    return broker->device->ops->stream_wait(broker->device, stream, event->event);
}

static CudaError serve_event_new(Broker *broker, RingReply *reply)
{
    BrokerEvent *event = calloc(1, sizeof *event);
    if (event == NULL)
        return CUDA_ERROR_MEMORY_ALLOCATION;
    event->untimed = broker_words(broker)[0] != 0;
    CudaError error = broker->device->ops->event_new(broker->device, &event->event);
    if (error == CUDA_ERROR_SUCCESS) {
        reply->value[0] = handles_add(&broker->events, event);
        if (reply->value[0] != 0)
            return CUDA_ERROR_SUCCESS;
        broker->device->ops->event_free(broker->device, event->event);
        error = CUDA_ERROR_MEMORY_ALLOCATION;
    }
    free(event);
    return error;
}

static CudaError serve_event_free(Broker *broker, RingReply *reply)
{
    BrokerEvent *event = handles_remove(&broker->events, broker_words(broker)[0]);
    if (event == NULL)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    CudaError error = broker->device->ops->event_free(broker->device, event->event);
    free(event);
    return error;
}

static CudaError serve_event_record(Broker *broker, RingReply *reply)
{
    DeviceStream *stream;
    BrokerEvent *event = event_of(broker, 0);
    if (event == NULL || !broker_stream(broker, broker_words(broker)[1], &stream))
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    return broker->device->ops->event_record(broker->device, event->event, stream);
}

static CudaError serve_event_synchronize(Broker *broker, RingReply *reply)
{
    BrokerEvent *event = event_of(broker, 0);
    if (event == NULL)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    return broker->device->ops->event_synchronize(broker->device, event->event);
}

static CudaError serve_event_query(Broker *broker, RingReply *reply)
{
    BrokerEvent *event = event_of(broker, 0);
    if (event == NULL)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    return broker->device->ops->event_query(broker->device, event->event);
}

static CudaError serve_event_elapsed(Broker *broker, RingReply *reply)
{
    BrokerEvent *start = event_of(broker, 0), *stop = event_of(broker, 1);
    double seconds = 0;
    if (start == NULL || stop == NULL || start->untimed || stop->untimed)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    CudaError error = broker->device->ops->event_elapsed(broker->device, start->event, stop->event, &seconds);
    memcpy(&reply->value[0], &seconds, sizeof seconds);
    return error;
}

static CudaError serve_device_info(Broker *broker, RingReply *reply)
{
    memcpy(broker->reader.ring->staging, &broker->device->info, sizeof broker->device->info);
    return CUDA_ERROR_SUCCESS;
}

/* ---- dispatch ---------------------------------------------------------------------------------------------------- */

static const struct {
    Serve *serve;
    uint32_t least_bytes, most_bytes; /* of the body */
} REQUESTS[RING_KIND_COUNT] = {
#define WORDS sizeof(RingWords), sizeof(RingWords)
    [RING_READY] = {serve_nothing, 0, 0},
    [RING_LOAD_FAILED] = {serve_load_failed, 0, 600},
    [RING_RETURNED] = {serve_nothing, 0, 0},
    [RING_FLUSH] = {serve_nothing, 0, 0},
    [RING_NOTE_ERROR] = {serve_note_error, sizeof(RingNote), sizeof(RingNote)},
    [RING_NOTE_MISSING] = {serve_note_missing, sizeof(RingNote), sizeof(RingNote)},
    [RING_NOTE_MEMORY] = {serve_note_memory, 0, 0},
    [RING_MODULE] = {serve_module, WORDS},
    [RING_FUNCTION] = {serve_function, sizeof(RingName), sizeof(RingName)},
    [RING_VARIABLE] = {serve_variable, sizeof(RingName), sizeof(RingName)},
    [RING_SET_SHARED] = {serve_set_shared, WORDS},
    [RING_OCCUPANCY] = {serve_occupancy, WORDS},
    [RING_ALLOC] = {serve_alloc, WORDS},
    [RING_RELEASE] = {serve_release, WORDS},
    [RING_MEMORY_INFO] = {serve_memory_info, WORDS},
    [RING_WRITE] = {serve_write, WORDS},
    [RING_READ] = {serve_read, WORDS},
    [RING_COPY] = {serve_copy, WORDS},
    [RING_FILL] = {serve_fill, WORDS},
    [RING_OWNED] = {serve_owned, WORDS},
    [RING_COPY_BOX] = {serve_copy_box, sizeof(RingCopyBox), sizeof(RingCopyBox)},
    [RING_FILL_ROWS] = {serve_fill_rows, sizeof(RingFillRows), sizeof(RingFillRows)},
    [RING_ARRAY_NEW] = {serve_array_new, sizeof(RingArray), sizeof(RingArray)},
    [RING_ARRAY_FREE] = {serve_array_free, WORDS},
    [RING_TEXTURE_NEW] = {serve_texture_new, sizeof(RingTexture), sizeof(RingTexture)},
    [RING_TEXTURE_FREE] = {serve_texture_free, WORDS},
    [RING_LAUNCH] = {serve_launch, sizeof(RingLaunch), RING_MAX_BODY},
    [RING_SYNCHRONIZE] = {serve_synchronize, WORDS},
    [RING_STREAM_NEW] = {serve_stream_new, WORDS},
    [RING_STREAM_FREE] = {serve_stream_free, WORDS},
    [RING_STREAM_SYNCHRONIZE] = {serve_stream_synchronize, WORDS},
    [RING_STREAM_QUERY] = {serve_stream_query, WORDS},
    [RING_STREAM_WAIT] = {serve_stream_wait, WORDS},
    [RING_EVENT_NEW] = {serve_event_new, WORDS},
    [RING_EVENT_FREE] = {serve_event_free, WORDS},
    [RING_EVENT_RECORD] = {serve_event_record, WORDS},
    [RING_EVENT_SYNCHRONIZE] = {serve_event_synchronize, WORDS},
    [RING_EVENT_QUERY] = {serve_event_query, WORDS},
    [RING_EVENT_ELAPSED] = {serve_event_elapsed, WORDS},
    [RING_DEVICE_INFO] = {serve_device_info, WORDS},
#undef WORDS
};

static void answer(Broker *broker, const RingRequest *head, RingKind awaited)
{
    RingReply reply = {0};
    if (head->kind >= RING_KIND_COUNT || REQUESTS[head->kind].serve == NULL ||
        head->body_bytes < REQUESTS[head->kind].least_bytes || head->body_bytes > REQUESTS[head->kind].most_bytes) {
        malformed(broker);
        return;
    }
    reply.error = REQUESTS[head->kind].serve(broker, &reply);
    if (reply.error == CUDA_ERROR_LAUNCH_TIMEOUT && broker->end == SERVE_GOING)
        broker->end = SERVE_DEVICE_TIME;
    if (head->kind == awaited && broker->end == SERVE_GOING)
        broker->end = SERVE_DONE;
    if (head->wants_reply) {
        reply.posted_error = broker->posted_error;
        broker->posted_error = CUDA_ERROR_SUCCESS;
        ring_reply(broker->reader.ring, &reply);
    } else if (broker->posted_error == CUDA_ERROR_SUCCESS) {
        broker->posted_error = reply.error;
    }
}

/* The grader speaks up during a call only to say that the runner is gone, or by being gone itself. */
static bool grader_calls(const Broker *broker)
{
    struct pollfd control = {.fd = broker->control, .events = POLLIN};
    return poll(&control, 1, 0) > 0;
}

static void wait_for_runner(Broker *broker, uint32_t bell)
{
    double left = fmax(0, broker->limits.host_seconds - broker->host_seconds), start = now_s();
    ring_wait(&broker->reader, bell, fmin(left, HOLD_SECONDS));
    double waited = now_s() - start;
    if (waited >= HOLD_SECONDS)
        broker->device->ops->let_go(broker->device);
    broker->host_seconds += waited;
    if (broker->host_seconds >= broker->limits.host_seconds)
        broker->end = SERVE_HOST_TIME;
}

void broker_serve(Broker *broker, RingKind awaited)
{
    broker->end = SERVE_GOING;
    broker->host_seconds = 0;
    while (broker->end == SERVE_GOING) {
        uint32_t bell = ring_bell(broker->reader.ring);
        switch (ring_take(&broker->reader, &broker->record)) {
        case RING_TAKEN: {
            RingRequest head = broker->record.head;
            answer(broker, &head, awaited);
            break;
        }
        case RING_BROKEN:
            malformed(broker);
            break;
        case RING_EMPTY:
            if (ring_spin(&broker->reader))
                break;
            if (grader_calls(broker))
                broker->end = SERVE_RUNNER_GONE;
            else
                wait_for_runner(broker, bell);
            break;
        }
    }
}
