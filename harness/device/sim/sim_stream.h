/* sim_stream.h - streams, events and brackets of a simulated GPU, and the modelled time that they keep.  */
#ifndef HARNESS_DEVICE_SIM_SIM_STREAM_H
#define HARNESS_DEVICE_SIM_SIM_STREAM_H

#include "harness/device/sim/sim_state.h"

extern const DeviceStreamOps SIM_STREAM_OPS;
extern const DeviceEventOps SIM_EVENT_OPS;
extern const DeviceTimingOps SIM_TIMING_OPS;

/* Adds an operation that takes `seconds` on an engine to the stream (NULL: the legacy default stream). */
void sim_enqueue(SimDevice *sim, DeviceStream *stream, Engine engine, double seconds);
/* Lets the host wait for all streams, or for one (NULL: the legacy default stream). */
void sim_wait_all(SimDevice *sim);
void sim_wait_stream(SimDevice *sim, const DeviceStream *stream);
void sim_streams_free(SimDevice *sim);

#endif
