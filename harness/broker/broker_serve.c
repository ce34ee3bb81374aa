
#include "base/clock.h"
#include "harness/broker/broker_launch.h"
#include "harness/broker/broker_memory.h"
#include "harness/broker/broker_state.h"

#include <math.h>
#include <poll.h>
#include <stdio.h>

/* A device that holds streams back (DeviceBracket) releases them when the runner has been silent for this long. */
static const double HOLD_SECONDS = 0.02;

/* How often the broker looks whether the device is idle while the runner is silent. */
static const double LOOK_SECONDS = 0.001;

/* The judge's own part of a broker's memory is 50 MiB (measured on all problems). */
BrokerMost broker_most = {.requests = 4000000, .serving_seconds = 60, .own_bytes = 2ull << 30, .per_device_byte = 4};

enum { LOOK_EVERY = 4096 }; /* requests, until the broker looks whether the runner is still there */

static CudaError serve_nothing(Broker *broker, RingReply *reply)
{
    return CUDA_ERROR_SUCCESS;
}

static CudaError serve_loading(Broker *broker, RingReply *reply)
{
    broker_host_time_start(broker);
    return CUDA_ERROR_SUCCESS;
}

void broker_begin(Broker *broker)
{
    broker->functions = (Handles){.first = 1};
    broker->streams = (Handles){.first = RING_FIRST_HANDLE, .most = BROKER_MAX_STREAMS};
    broker->events = (Handles){.first = RING_FIRST_HANDLE, .most = BROKER_MAX_EVENTS};
    broker->cuda_arrays = (Handles){.first = RING_FIRST_HANDLE, .most = BROKER_MAX_ARRAYS};
}

/* ---- dispatch ---------------------------------------------------------------------------------------------------- */

typedef struct ServeRequest { /* how a request of one kind is carried out */
    Serve *serve;
    size_t least_bytes, most_bytes; /* of its body */
} ServeRequest;

static ServeRequest without_body(Serve *serve)
{
    return (ServeRequest){serve, 0, 0};
}

static ServeRequest with_body(Serve *serve, size_t bytes)
{
    return (ServeRequest){serve, bytes, bytes};
}

static ServeRequest with_words(Serve *serve)
{
    return with_body(serve, sizeof(RingWords));
}

static ServeRequest request_of(RingKind kind)
{
    switch (kind) {
    case RING_LOADING: return without_body(serve_loading);
    case RING_READY: return without_body(serve_nothing);
    case RING_LOAD_FAILED: return (ServeRequest){serve_load_failed, 0, RING_MAX_LOAD_ERROR};
    case RING_RETURNED: return without_body(serve_nothing);
    case RING_FLUSH: return without_body(serve_nothing);
    case RING_NOTE_ERROR: return with_body(serve_note_error, sizeof(RingNote));
    case RING_NOTE_MISSING: return with_body(serve_note_missing, sizeof(RingNote));
    case RING_NOTE_MEMORY: return without_body(serve_note_memory);
    case RING_MODULE: return with_words(serve_module);
    case RING_FUNCTION: return with_body(serve_function, sizeof(RingName));
    case RING_VARIABLE: return with_body(serve_variable, sizeof(RingName));
    case RING_SET_LIMIT: return with_words(serve_set_limit);
    case RING_SET_SHARED: return with_words(serve_set_shared);
    case RING_OCCUPANCY: return with_words(serve_occupancy);
    case RING_ALLOC: return with_words(serve_alloc);
    case RING_RELEASE: return with_words(serve_release);
    case RING_RENEW: return with_words(serve_renew);
    case RING_MEMORY_INFO: return with_words(serve_memory_info);
    case RING_WRITE: return with_words(serve_write);
    case RING_READ: return with_words(serve_read);
    case RING_COPY: return with_words(serve_copy);
    case RING_FILL: return with_words(serve_fill);
    case RING_OWNED: return with_words(serve_owned);
    case RING_COPY_BOX: return with_body(serve_copy_box, sizeof(RingCopyBox));
    case RING_FILL_ROWS: return with_body(serve_fill_rows, sizeof(RingFillRows));
    case RING_ARRAY_NEW: return with_body(serve_array_new, sizeof(RingArray));
    case RING_ARRAY_FREE: return with_words(serve_array_free);
    case RING_TEXTURE_NEW: return with_body(serve_texture_new, sizeof(RingTexture));
    case RING_TEXTURE_FREE: return with_words(serve_texture_free);
    case RING_TENSOR_MAP: return with_body(serve_tensor_map, sizeof(RingTensor));
    case RING_SURFACE_NEW: return with_words(serve_surface_new);
    case RING_SURFACE_FREE: return with_words(serve_surface_free);
    case RING_COPY_AWAY: return with_body(serve_copy_away, sizeof(RingCopyBox));
    case RING_TURN: return with_words(serve_turn);
    case RING_HOST_CALL: return with_words(serve_host_call);
    case RING_SETTLE: return with_words(serve_settle);
    case RING_LAUNCH: return (ServeRequest){serve_launch, sizeof(RingLaunch), RING_MAX_BODY};
    case RING_SYNCHRONIZE: return with_words(serve_synchronize);
    case RING_STREAM_NEW: return with_words(serve_stream_new);
    case RING_STREAM_FREE: return with_words(serve_stream_free);
    case RING_STREAM_SYNCHRONIZE: return with_words(serve_stream_synchronize);
    case RING_STREAM_QUERY: return with_words(serve_stream_query);
    case RING_STREAM_WAIT: return with_words(serve_stream_wait);
    case RING_EVENT_NEW: return with_words(serve_event_new);
    case RING_EVENT_FREE: return with_words(serve_event_free);
    case RING_EVENT_RECORD: return with_words(serve_event_record);
    case RING_EVENT_SYNCHRONIZE: return with_words(serve_event_synchronize);
    case RING_EVENT_QUERY: return with_words(serve_event_query);
    case RING_EVENT_ELAPSED: return with_words(serve_event_elapsed);
    case RING_DEVICE_INFO: return with_words(serve_device_info);
    case RING_KIND_COUNT: break;
    }
    return (ServeRequest){0};
}

static bool is_ring_kind(uint32_t kind)
{
    return kind > 0 && kind < RING_KIND_COUNT;
}

/* Processor time that simulated kernels have taken so far. Their work is limited in itself. */
static double kernel_seconds(const Broker *broker)
{
    const DeviceSimulationOps *simulation = broker->device->simulation;
    return simulation == NULL ? 0 : simulation->kernel_seconds(broker->device);
}

/* Requests cost the broker time that no other limit counts. On a real GPU the device's own time is limited; simulated
 * copies are the broker's work, for which it may have to wait for a core. */
static void count_request(Broker *broker, double seconds, double serving_seconds)
{
    broker->busy_seconds += seconds;
    broker->serving_seconds += serving_seconds;
    const double wall_s = broker->limits.wall_seconds;
    const double most_s = wall_s > 0 ? fmin(broker_most.serving_seconds, wall_s) : broker_most.serving_seconds;
    bool too_many = ++broker->requests > broker_most.requests, too_long = broker->serving_seconds > most_s;
    if (broker->end != SERVE_GOING || (!too_many && !too_long))
        return;
    broker->end = SERVE_TOO_MUCH;
    if (too_many)
        snprintf(broker->end_text, sizeof broker->end_text, "more than %.0f CUDA calls in one call of solve()",
                 broker_most.requests);
    else
        snprintf(broker->end_text, sizeof broker->end_text,
                 "copies and other CUDA calls took the simulated GPU more than %g s in one call of solve()", most_s);
}

static void answer(Broker *broker, const RingRequest *head, RingKind awaited)
{
    RingReply reply = {0};
    const ServeRequest request = is_ring_kind(head->kind) ? request_of((RingKind)head->kind) : (ServeRequest){0};
    if (request.serve == NULL || (head->kind == RING_LOADING) != (awaited == RING_LOADING) ||
        head->body_bytes < request.least_bytes || head->body_bytes > request.most_bytes) {
        broker_malformed(broker);
        return;
    }
    broker_host_work_charge(broker, head->kind == RING_STREAM_QUERY || head->kind == RING_EVENT_QUERY);
    if (broker->device->simulation != NULL)
        broker->device->simulation->set_place(broker->device, head->place);
    reply.error = request.serve(broker, &reply);
    if (reply.error == DEVICE_HOST_TURN) {
        reply = (RingReply){.error = CUDA_ERROR_NOT_READY};
        reply.turn = broker->device->simulation->turn(broker->device);
    }
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

/* During a call the control socket becomes readable only if the runner has ended, or the grader has. */
static bool runner_or_grader_is_gone(const Broker *broker)
{
    struct pollfd control = {.fd = broker->control, .events = POLLIN};
    return poll(&control, 1, 0) > 0;
}

double broker_spent_s(const Broker *broker)
{
    return broker->device->info.modelled ? broker->host_time.own_s + broker->serving_seconds
                                         : now_s() - broker->served_s;
}

static double seconds_left(const Broker *broker)
{
    return broker->seconds_left == 0 ? INFINITY : fmax(0, broker->seconds_left - broker_spent_s(broker));
}

static void end_if_host_takes_too_long(Broker *broker)
{
    if (broker_host_time_left(broker) == 0)
        broker->end = SERVE_HOST_TIME;
}

/* The submission is not charged for a sleep of the broker that lasts too long, nor for the time before RING_LOADING.
 * While a real GPU works, it is not kept waiting, and its own limit counts. */
static void wait_for_runner(Broker *broker, uint32_t doorbell, RingKind awaited)
{
    const DeviceHardwareOps *hardware = broker->device->hardware;
    const bool is_busy = hardware != NULL && !hardware->is_idle(broker->device);
    const double most = is_busy ? LOOK_SECONDS : HOLD_SECONDS;
    const double wanted = fmin(fmin(broker_host_time_left(broker), seconds_left(broker)), most);
    const double start = now_s();
    ring_sleep(&broker->reader, doorbell, wanted);
    const double waited = now_s() - start;
    if (!is_busy && waited >= HOLD_SECONDS && hardware != NULL)
        hardware->start_held_work(broker->device);
    if (awaited == RING_LOADING)
        return;
    if (is_busy)
        broker->work_seconds += fmin(waited, wanted);
    else
        broker_host_time_add(broker, fmin(waited, wanted));
    end_if_host_takes_too_long(broker);
    if (is_busy && broker->limits.device_seconds > 0 && broker->work_seconds > broker->limits.device_seconds)
        broker->end = SERVE_WORK_TIME;
    if (broker->end == SERVE_GOING && seconds_left(broker) == 0)
        broker->end = SERVE_BUDGET;
}

/* Counts like sleeping: otherwise small requests, each a few microseconds after the last, would wait for nothing. */
static bool spin_for_runner(Broker *broker, RingKind awaited)
{
    static const double MOST_SECONDS = 1e-4; /* what takes longer was no spinning: others had the core */
    const double start = now_s();
    const bool written = ring_spin(&broker->reader);
    if (awaited == RING_LOADING)
        return written;
    broker_host_time_add(broker, fmin(now_s() - start, MOST_SECONDS));
    if (written)
        end_if_host_takes_too_long(broker);
    return written;
}

/* Carries out the request in Broker.record. */
static void serve_request(Broker *broker, RingKind awaited)
{
    const RingRequest head = broker->record.head;
    const bool modelled = broker->device->info.modelled;
    const double start = now_s(), thread_start = modelled ? thread_s() : 0, kernels_start = kernel_seconds(broker);
    answer(broker, &head, awaited);
    const double thread = modelled ? thread_s() - thread_start : 0;
    count_request(broker, now_s() - start, thread - (kernel_seconds(broker) - kernels_start));
    if (broker->end == SERVE_GOING && seconds_left(broker) == 0)
        broker->end = SERVE_BUDGET;
    if (broker->requests % LOOK_EVERY == 0 && broker->end == SERVE_GOING && runner_or_grader_is_gone(broker))
        broker->end = SERVE_RUNNER_GONE;
}

void broker_serve(Broker *broker, RingKind awaited)
{
    broker->end = SERVE_GOING;
    broker->serving_seconds = broker->busy_seconds = broker->work_seconds = 0;
    broker->requests = 0;
    broker->launches = 0;
    broker->served_s = now_s();
    broker_host_time_begin(broker);
    while (broker->end == SERVE_GOING) {
        uint32_t doorbell = ring_doorbell(broker->reader.ring);
        switch (ring_take(&broker->reader, &broker->record)) {
        case RING_TAKEN: serve_request(broker, awaited); break;
        case RING_BROKEN: broker_malformed(broker); break;
        case RING_EMPTY:
            if (spin_for_runner(broker, awaited))
                break;
            if (runner_or_grader_is_gone(broker))
                broker->end = SERVE_RUNNER_GONE;
            else
                wait_for_runner(broker, doorbell, awaited);
            break;
        }
    }
    broker_host_time_end(broker);
}
