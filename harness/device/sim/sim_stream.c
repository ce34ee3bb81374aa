#include "harness/device/sim/sim_stream.h"

#include "harness/device/sim/sim_queue.h"
#include "harness/device/sim/sim_time.h"

#include <math.h>
#include <stdlib.h>

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

/* Carries out what the host waits for. */
static CudaError await(SimDevice *sim, const OperationSet *set, Moment moment)
{
    CudaError error = sim_carry_out(sim, set);
    if (error == DEVICE_HOST_TURN)
        return error;
    sim_host_knows(sim, set);
    sim_time_note(sim, moment);
    return sim->sticky;
}

CudaError sim_wait_all(SimDevice *sim)
{
    const OperationSet all = sim_everything(sim);
    return await(sim, &all, (Moment){.kind = MOMENT_HOST_ALL});
}

/* What a stream holds. Legacy default stream: that of all blocking streams as well, in case of doubt. */
static OperationSet held_by(SimDevice *sim, DeviceStream *stream)
{
    OperationSet held = sim_none(sim);
    if (stream == NULL)
        return sim_before_stream(sim, NULL);
    sim_add_before(sim, &held, &stream->before);
    return held;
}

CudaError sim_wait_stream(SimDevice *sim, DeviceStream *stream)
{
    const OperationSet before = held_by(sim, stream);
    return await(sim, &before, (Moment){.kind = MOMENT_HOST_STREAM, .stream = stream});
}

static CudaError wait_event(SimDevice *sim, DeviceEvent *event)
{
    const OperationSet before = sim_before_event(sim, event);
    return await(sim, &before, (Moment){.kind = MOMENT_HOST_EVENT, .event = event});
}

/* What comes before it is carried out first, since only then is it sure that no turn of the host is missing. */
CudaError sim_submit_and_wait(SimDevice *sim, const Work *work)
{
    DeviceStream *stream = work->stream;
    const OperationSet before = sim_before_stream(sim, stream);
    CudaError error = sim_carry_out(sim, &before);
    if (error != CUDA_ERROR_SUCCESS) {
        free(work->what);
        return error;
    }
    error = sim_submit(sim, work, NULL);
    return error == CUDA_ERROR_SUCCESS ? sim_wait_stream(sim, stream) : error;
}

CudaError sim_finish(SimDevice *sim, DeviceStream *stream)
{
    const OperationSet before = sim_before_stream(sim, stream);
    CudaError error = sim_carry_out(sim, &before);
    if (error != DEVICE_HOST_TURN)
        sim_host_knows(sim, &before);
    return error;
}

CudaError sim_settle(SimDevice *sim)
{
    const OperationSet all = sim_everything(sim);
    return sim_carry_out(sim, &all);
}

/* ---- functions of the host --------------------------------------------------------------------------------------- */

/* What it does costs the host's time, which is counted when it runs. */
static double carry_host_call(SimDevice *sim, void *what, uint8_t *staging)
{
    return 0;
}

CudaError sim_host_call(Device *device, DeviceStream *stream, uint64_t *turn, bool *is_due)
{
    SimDevice *sim = sim_of(device);
    const Work work = {.carry = carry_host_call,
                       .stream = stream,
                       .needs_turn = true,
                       .is_function = true,
                       .mistake = {.kind = MISTAKE_HOST_TOO_EARLY},
                       .name = "the host function"};
    if (sim->sticky != CUDA_ERROR_SUCCESS)
        return sim->sticky;
    sim->turn = 0;
    CudaError error = sim_submit(sim, &work, turn);
    *is_due = error == CUDA_ERROR_SUCCESS && sim->turn == *turn;
    return error;
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

static bool is_of_graph(DeviceStreamKind kind)
{
    return kind == DEVICE_STREAM_OF_GRAPH;
}

/* Those of graphs, or all others. */
static uint32_t living_streams(const SimDevice *sim, bool of_graphs)
{
    uint32_t count = 0;
    for (const DeviceStream *stream = sim->streams; stream != NULL; stream = stream->next)
        count += !stream->is_gone && is_of_graph(stream->kind) == of_graphs;
    return count;
}

static CudaError stream_create(Device *device, DeviceStreamKind kind, DeviceStream **stream)
{
    SimDevice *sim = sim_of(device);
    if (sim->sticky != CUDA_ERROR_SUCCESS)
        return sim->sticky;
    *stream = calloc(1, sizeof **stream);
    if (*stream == NULL)
        return CUDA_ERROR_MEMORY_ALLOCATION;
    **stream = (DeviceStream){.non_blocking = kind >= DEVICE_STREAM_NON_BLOCKING,
                              .kind = kind,
                              .number = living_streams(sim, is_of_graph(kind)) + 1,
                              .next = sim->streams};
    sim->streams = *stream;
    return CUDA_ERROR_SUCCESS;
}

/* Its work goes on, and the legacy stream still waits for it. */
static CudaError stream_destroy(Device *device, DeviceStream *stream)
{
    SimDevice *sim = sim_of(device);
    const DeviceStream *known = sim->streams;
    while (known != NULL && known != stream)
        known = known->next;
    if (known == NULL || known->is_gone)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    stream->is_gone = true;
    if (!stream->non_blocking)
        sim_add_before(sim, &sim->legacy.before, &stream->before);
    sim_time_note(sim, (Moment){.kind = MOMENT_STREAM_GONE, .stream = stream});
    return sim->sticky;
}

static CudaError stream_synchronize(Device *device, DeviceStream *stream)
{
    return sim_wait_stream(sim_of(device), stream);
}

static CudaError stream_query(Device *device, DeviceStream *stream)
{
    SimDevice *sim = sim_of(device);
    const OperationSet before = held_by(sim, stream);
    if (sim->sticky != CUDA_ERROR_SUCCESS)
        return sim->sticky;
    return sim_is_news(sim, &before) ? CUDA_ERROR_NOT_READY : sim_wait_stream(sim, stream);
}

/* A kernel that comes next on the stream waits for all that came before, even with programmatic stream serialization. */
static void interrupt(SimDevice *sim, DeviceStream *stream)
{
    (stream == NULL ? &sim->legacy : stream)->kernel = sim_none(sim);
}

static CudaError stream_wait_event(Device *device, DeviceStream *stream, DeviceEvent *event)
{
    SimDevice *sim = sim_of(device);
    if (!event->recorded)
        return sim->sticky;
    const OperationSet before = sim_before_event(sim, event);
    sim_add_before(sim, stream == NULL ? &sim->legacy.before : &stream->before, &before);
    interrupt(sim, stream);
    sim_time_note(sim, (Moment){.kind = MOMENT_WAIT, .stream = stream, .event = event});
    return sim->sticky;
}

static CudaError synchronize_all(Device *device)
{
    return sim_wait_all(sim_of(device));
}

void sim_streams_free(SimDevice *sim)
{
    sim_time_abandon(sim); /* else destroyed streams would stay, behind operations that never end */
    while (sim->streams != NULL)
        stream_destroy(&sim->device, sim->streams);
}

const DeviceStreamOps SIM_STREAM_OPS = {
    .create = stream_create,
    .destroy = stream_destroy,
    .synchronize = stream_synchronize,
    .synchronize_all = synchronize_all,
    .query = stream_query,
    .wait_event = stream_wait_event,
};

/* ---- events ------------------------------------------------------------------------------------------------------ */

static CudaError event_create(Device *device, bool is_timed, DeviceEvent **event)
{
    SimDevice *sim = sim_of(device);
    if (sim->sticky != CUDA_ERROR_SUCCESS)
        return sim->sticky;
    sim->has_timed_event |= is_timed;
    *event = calloc(1, sizeof **event);
    return *event == NULL ? CUDA_ERROR_MEMORY_ALLOCATION : CUDA_ERROR_SUCCESS;
}

static CudaError event_destroy(Device *device, DeviceEvent *event)
{
    sim_time_note(sim_of(device), (Moment){.kind = MOMENT_EVENT_GONE, .event = event});
    return sim_of(device)->sticky;
}

static CudaError event_record(Device *device, DeviceEvent *event, DeviceStream *stream)
{
    SimDevice *sim = sim_of(device);
    if (sim->sticky != CUDA_ERROR_SUCCESS)
        return sim->sticky;
    event->recorded = true;
    event->before = sim_before_stream(sim, stream);
    interrupt(sim, stream);
    sim_time_note(sim, (Moment){.kind = MOMENT_RECORD, .stream = stream, .event = event});
    return CUDA_ERROR_SUCCESS;
}

static CudaError event_synchronize(Device *device, DeviceEvent *event)
{
    SimDevice *sim = sim_of(device);
    return event->recorded ? wait_event(sim, event) : sim->sticky;
}

static CudaError event_query(Device *device, DeviceEvent *event)
{
    SimDevice *sim = sim_of(device);
    const OperationSet before = sim_before_event(sim, event);
    if (sim->sticky != CUDA_ERROR_SUCCESS || !event->recorded)
        return sim->sticky;
    return sim_is_news(sim, &before) ? CUDA_ERROR_NOT_READY : wait_event(sim, event);
}

/* When an event was recorded is known once everything that was asked for before it has been carried out. */
static CudaError event_elapsed(Device *device, DeviceEvent *start, DeviceEvent *stop, double *seconds)
{
    SimDevice *sim = sim_of(device);
    if (sim->sticky != CUDA_ERROR_SUCCESS)
        return sim->sticky;
    if (!start->recorded || !stop->recorded)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    CudaError error = sim_settle(sim);
    if (error != CUDA_ERROR_SUCCESS)
        return error;
    if (start->at_s > sim->host_s || stop->at_s > sim->host_s)
        return CUDA_ERROR_NOT_READY;
    *seconds = stop->at_s - start->at_s;
    return CUDA_ERROR_SUCCESS;
}

const DeviceEventOps SIM_EVENT_OPS = {
    .create = event_create,
    .destroy = event_destroy,
    .record = event_record,
    .synchronize = event_synchronize,
    .query = event_query,
    .elapsed = event_elapsed,
};

/* ---- the bracket around a call ---------------------------------------------------------------------------------- */

static CudaError bracket_begin(Device *device)
{
    SimDevice *sim = sim_of(device);
    sim_wait_all(sim);
    sim_queue_open(sim);
    sim->first_start_s = INFINITY;
    sim->last_end_s = sim->busy_s = 0;
    return sim->sticky;
}

/* Rounded to whole femtoseconds, so that the last digits do not depend on the time before the bracket. */
static double whole_femtoseconds(double seconds)
{
    return round(seconds * 1e15) / 1e15;
}

static CudaError bracket_end(Device *device, DeviceBracket *bracket)
{
    SimDevice *sim = sim_of(device);
    sim_queue_close(sim);
    *bracket = (DeviceBracket){.busy_s = whole_femtoseconds(sim->busy_s), .pending = sim_time_end(sim) > sim->host_s};
    double work_s = sim->last_end_s - sim->first_start_s;
    if (work_s > 0)
        bracket->event_s = whole_femtoseconds(work_s) + simgpu_profile(sim->gpu)->events_s;
    return sim_wait_all(sim);
}

const DeviceTimingOps SIM_TIMING_OPS = {.begin = bracket_begin, .end = bracket_end};
