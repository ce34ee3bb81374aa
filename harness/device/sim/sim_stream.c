#include "harness/device/sim/sim_stream.h"

#include <math.h>
#include <stdlib.h>

/* Theory of operation
 *
 * Every operation is carried out at once when it is submitted, so that results never depend on timing. Time is modelled
 * beside that. Each operation has a modelled duration; it starts when its stream is ready, the engine that it needs
 * (kernels, or the bus) is free, and the host has finished its waits and its work so far. Kernels never overlap, even in different
 * streams: two kernels that share the device take as long as one after the other, and a model that let them overlap for
 * free would reward splitting a kernel. */

struct DeviceEvent {
    double at_s;
    bool recorded;
};

/* ---- time -------------------------------------------------------------------------------------------------------- */

static double blocking_streams_end(const SimDevice *sim)
{
    double end_s = sim->legacy.end_s;
    for (const DeviceStream *stream = sim->streams; stream != NULL; stream = stream->next)
        if (!stream->non_blocking)
            end_s = fmax(end_s, stream->end_s);
    return end_s;
}

static double all_streams_end(const SimDevice *sim)
{
    double end_s = sim->legacy.end_s;
    for (const DeviceStream *stream = sim->streams; stream != NULL; stream = stream->next)
        end_s = fmax(end_s, stream->end_s);
    return end_s;
}

/* The time when an operation on the stream can start (CUDA Programming Guide, "Implicit Synchronization"). */
static double stream_ready(const SimDevice *sim, const DeviceStream *stream)
{
    if (stream == NULL)
        return blocking_streams_end(sim);
    return stream->non_blocking ? stream->end_s : fmax(stream->end_s, sim->legacy.end_s);
}

void sim_enqueue(SimDevice *sim, DeviceStream *stream, Engine engine, double seconds)
{
    double start_s = fmax(fmax(stream_ready(sim, stream), sim->engine_end_s[engine]), sim->host_s);
    double end_s = start_s + seconds;
    (stream == NULL ? &sim->legacy : stream)->end_s = end_s;
    sim->engine_end_s[engine] = end_s;
    sim->busy_s += seconds;
    sim->first_start_s = fmin(sim->first_start_s, start_s);
    sim->last_end_s = fmax(sim->last_end_s, end_s);
}

/* If the host has to wait, its next operation comes a little after the end of the wait. */
static void host_waits(SimDevice *sim, double until_s)
{
    if (until_s > sim->host_s)
        sim->host_s = until_s + simgpu_profile(sim->gpu)->host_wait_s;
}

void sim_wait_all(SimDevice *sim)
{
    host_waits(sim, all_streams_end(sim));
}

void sim_wait_stream(SimDevice *sim, const DeviceStream *stream)
{
    host_waits(sim, stream_ready(sim, stream));
}

/* A program that polls must see the end of its work: a query answers "not ready" once, and success after that. */
static CudaError poll(SimDevice *sim, double end_s)
{
    if (end_s > sim->host_s && end_s > sim->polled_s) {
        sim->polled_s = end_s;
        return CUDA_ERROR_NOT_READY;
    }
    host_waits(sim, end_s);
    return CUDA_ERROR_SUCCESS;
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

static CudaError stream_create(Device *device, bool non_blocking, DeviceStream **stream)
{
    SimDevice *sim = sim_of(device);
    if (sim->sticky != CUDA_ERROR_SUCCESS)
        return sim->sticky;
    *stream = calloc(1, sizeof **stream);
    if (*stream == NULL)
        return CUDA_ERROR_MEMORY_ALLOCATION;
    **stream = (DeviceStream){.non_blocking = non_blocking, .next = sim->streams};
    sim->streams = *stream;
    return CUDA_ERROR_SUCCESS;
}

static CudaError stream_destroy(Device *device, DeviceStream *stream)
{
    SimDevice *sim = sim_of(device);
    DeviceStream **link = &sim->streams;
    while (*link != NULL && *link != stream)
        link = &(*link)->next;
    if (*link == NULL)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    if (!stream->non_blocking) /* the legacy stream still waits for its work */
        sim->legacy.end_s = fmax(sim->legacy.end_s, stream->end_s);
    *link = stream->next;
    free(stream);
    return sim->sticky;
}

static CudaError stream_synchronize(Device *device, DeviceStream *stream)
{
    SimDevice *sim = sim_of(device);
    sim_wait_stream(sim, stream);
    return sim->sticky;
}

static CudaError stream_query(Device *device, DeviceStream *stream)
{
    SimDevice *sim = sim_of(device);
    return sim->sticky != CUDA_ERROR_SUCCESS ? sim->sticky : poll(sim, stream_ready(sim, stream));
}

static CudaError stream_wait_event(Device *device, DeviceStream *stream, DeviceEvent *event)
{
    SimDevice *sim = sim_of(device);
    DeviceStream *waiting = stream == NULL ? &sim->legacy : stream;
    if (event->recorded)
        waiting->end_s = fmax(waiting->end_s, event->at_s);
    return sim->sticky;
}

static CudaError synchronize_all(Device *device)
{
    SimDevice *sim = sim_of(device);
    sim_wait_all(sim);
    return sim->sticky;
}

void sim_streams_free(SimDevice *sim)
{
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
    free(event);
    return sim_of(device)->sticky;
}

static CudaError event_record(Device *device, DeviceEvent *event, DeviceStream *stream)
{
    SimDevice *sim = sim_of(device);
    if (sim->sticky != CUDA_ERROR_SUCCESS)
        return sim->sticky;
    event->recorded = true;
    event->at_s = fmax(stream_ready(sim, stream), sim->host_s);
    return CUDA_ERROR_SUCCESS;
}

static CudaError event_synchronize(Device *device, DeviceEvent *event)
{
    SimDevice *sim = sim_of(device);
    if (event->recorded)
        host_waits(sim, event->at_s);
    return sim->sticky;
}

static CudaError event_query(Device *device, DeviceEvent *event)
{
    SimDevice *sim = sim_of(device);
    if (sim->sticky != CUDA_ERROR_SUCCESS || !event->recorded)
        return sim->sticky;
    return poll(sim, event->at_s);
}

static CudaError event_elapsed(Device *device, DeviceEvent *start, DeviceEvent *stop, double *seconds)
{
    SimDevice *sim = sim_of(device);
    if (sim->sticky != CUDA_ERROR_SUCCESS)
        return sim->sticky;
    if (!start->recorded || !stop->recorded)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
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
    *bracket = (DeviceBracket){.busy_s = whole_femtoseconds(sim->busy_s),
                               .pending = all_streams_end(sim) > sim->host_s};
    double work_s = sim->last_end_s - sim->first_start_s;
    if (work_s > 0)
        bracket->event_s = whole_femtoseconds(work_s) + simgpu_profile(sim->gpu)->events_s;
    sim_wait_all(sim);
    return sim->sticky;
}

const DeviceTimingOps SIM_TIMING_OPS = {.begin = bracket_begin, .end = bracket_end};
