#include "harness/device/sim/sim_time.h"

#include "base/allocated.h"
#include <math.h>
#include <stdlib.h>

static double blocking_streams_end(const SimDevice *sim)
{
    double end_s = sim->legacy.end_s;
    for (const DeviceStream *stream = sim->streams; stream != NULL; stream = stream->next)
        if (!stream->non_blocking)
            end_s = fmax(end_s, stream->end_s);
    return end_s;
}

double sim_time_end(const SimDevice *sim)
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

static void enter_work(SimDevice *sim, const Moment *work)
{
    const bool takes_time = work->seconds > 0; /* else it needs no engine */
    const double engine_s = takes_time ? sim->engine_end_s[work->engine] : 0;
    double start_s = fmax(fmax(stream_ready(sim, work->stream), engine_s), sim->host_s);
    double end_s = start_s + work->seconds;
    (work->stream == NULL ? &sim->legacy : work->stream)->end_s = end_s;
    if (!takes_time)
        return;
    sim->engine_end_s[work->engine] = end_s;
    sim->busy_s += work->seconds;
    sim->first_start_s = fmin(sim->first_start_s, start_s);
    sim->last_end_s = fmax(sim->last_end_s, end_s);
}

/* If the host has to wait, its next operation comes a little after the end of the wait. */
static void host_waits(SimDevice *sim, double until_s)
{
    if (until_s > sim->host_s)
        sim->host_s = until_s + simgpu_profile(sim->gpu)->host_wait_s;
}

static void stream_gone(SimDevice *sim, DeviceStream *stream)
{
    DeviceStream **link = &sim->streams;
    while (*link != stream)
        link = &(*link)->next;
    *link = stream->next;
    if (!stream->non_blocking) /* the legacy stream still waits for its work */
        sim->legacy.end_s = fmax(sim->legacy.end_s, stream->end_s);
    free(stream);
}

static void enter(SimDevice *sim, const Moment *moment)
{
    DeviceStream *stream = moment->stream == NULL ? &sim->legacy : moment->stream;
    switch (moment->kind) {
    case MOMENT_WORK: enter_work(sim, moment); break;
    case MOMENT_RECORD: moment->event->at_s = fmax(stream_ready(sim, moment->stream), sim->host_s); break;
    case MOMENT_WAIT: stream->end_s = fmax(stream->end_s, moment->event->at_s); break;
    case MOMENT_STREAM_GONE: stream_gone(sim, moment->stream); break;
    case MOMENT_EVENT_GONE: free(moment->event); break;
    case MOMENT_HOST_STREAM: host_waits(sim, stream_ready(sim, moment->stream)); break;
    case MOMENT_HOST_EVENT: host_waits(sim, moment->event->at_s); break;
    case MOMENT_HOST_ALL: host_waits(sim, sim_time_end(sim)); break;
    case MOMENT_HOST_WORKS: sim->host_s += moment->seconds; break;
    }
}

static void enter_known(SimDevice *sim)
{
    while (sim->first_moment != NULL && !sim->first_moment->is_unknown) {
        Moment *moment = sim->first_moment;
        enter(sim, moment);
        sim->first_moment = moment->next;
        free(moment);
    }
    if (sim->first_moment == NULL)
        sim->last_moment = NULL;
}

Moment *sim_time_note(SimDevice *sim, Moment moment)
{
    Moment *noted = allocated(malloc(sizeof *noted));
    *noted = moment;
    noted->next = NULL;
    if (sim->last_moment == NULL)
        sim->first_moment = noted;
    else
        sim->last_moment->next = noted;
    sim->last_moment = noted;
    enter_known(sim);
    return moment.is_unknown ? noted : NULL;
}

void sim_time_tell(SimDevice *sim, Moment *moment, double seconds)
{
    moment->seconds = seconds;
    moment->is_unknown = false;
    enter_known(sim);
}

void sim_time_abandon(SimDevice *sim)
{
    for (Moment *moment = sim->first_moment; moment != NULL; moment = moment->next)
        moment->is_unknown = false;
    enter_known(sim);
}
