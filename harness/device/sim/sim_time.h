/* sim_time.h - the modelled time of a simulated GPU.
 *
 * Each operation has a modelled duration; it starts when its stream is ready, the engine that it needs (kernels, or
 * the bus) is free, and the host has finished its waits and its work so far. Kernels never overlap, even in different
 * streams: two kernels that share the device take as long as one after the other, and a model that let them overlap
 * for free would reward splitting a kernel.
 *
 * Time does not depend on the order in which the queue carries out operations (sim_queue.h). What happens is noted, in
 * the order in which the submission asks for it, as moments. A moment is entered into the time as soon as the
 * durations of all operations before it are known.  */
#ifndef HARNESS_DEVICE_SIM_SIM_TIME_H
#define HARNESS_DEVICE_SIM_SIM_TIME_H

#include "harness/device/sim/sim_state.h"

typedef enum MomentKind {
    MOMENT_WORK,        /* an operation begins and ends: stream, engine, seconds */
    MOMENT_RECORD,      /* an event is recorded: stream, event */
    MOMENT_WAIT,        /* a stream waits for an event: stream, event */
    MOMENT_STREAM_GONE, /* a stream is destroyed, and freed */
    MOMENT_EVENT_GONE,  /* an event is destroyed, and freed */
    MOMENT_HOST_STREAM, /* the host waits for a stream, */
    MOMENT_HOST_EVENT,  /*   for an event, */
    MOMENT_HOST_ALL,    /*   for all streams, */
    MOMENT_HOST_WORKS   /*   or works: seconds */
} MomentKind;

struct Moment {
    MomentKind kind;
    SimEngine engine;
    DeviceStream *stream; /* NULL: the legacy default stream */
    DeviceEvent *event;
    double seconds;
    bool is_unknown; /* how long the operation takes is not known yet */
    Moment *next;
};

/* Notes a moment. If it is unknown, returns it; it lives until sim_time_tell(). */
Moment *sim_time_note(SimDevice *sim, Moment moment);
/* Tells how long the operation of a MOMENT_WORK takes. */
void sim_time_tell(SimDevice *sim, Moment *moment, double seconds);
/* Enters what is noted, although operations were not carried out, and frees it: the device is being closed. */
void sim_time_abandon(SimDevice *sim);
/* When the last operation of all streams ends. All durations must be known. */
double sim_time_end(const SimDevice *sim);

#endif
