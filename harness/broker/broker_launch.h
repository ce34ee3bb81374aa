/* broker_launch.h - the request to launch a kernel.  */
#ifndef HARNESS_BROKER_BROKER_LAUNCH_H
#define HARNESS_BROKER_BROKER_LAUNCH_H

#include "harness/broker/broker_state.h"

/* ==== broker device info ========================================================================================== */

/* The request for the properties of the device. */

Serve serve_device_info;

/* ==== broker module =============================================================================================== */

/* Requests about modules, and the functions and variables in them. */

Serve serve_module, serve_function, serve_variable, serve_set_shared, serve_set_limit, serve_occupancy;

/* ==== broker fault ================================================================================================ */

/* Faults of the judge itself, which end a call without an outcome. */

/* False after the first fault; Broker.reply then describes it. */
bool broker_is_ok(const Broker *broker);
/* Unless `error` is success, it is a fault: "the judge's own DOING failed". Where a simulated GPU has no memory left, the
 * process ends like everywhere else (base/arena.h). */
void broker_require(Broker *broker, CudaError error, const char *doing);

/* ==== broker observe ============================================================================================== */

/* Observations of a simulated GPU about the kernels of one call, besides their results. */

typedef struct Observation {
    DeviceProbe probe;
    DeviceCheck check;
} Observation;

/* The arrays of the call are filled. The observation must stay where it is until the end. It has begun only if
 * Broker.reply still has STATUS_OK. */
void broker_observe_begin(Broker *broker, const ControlRequest *request, Observation *observation);
/* Reports what has been found. */
void broker_observe_end(Broker *broker, Observation *observation);

/* Fills in Broker.profile, if there is one, with all launches and copies between the two. */
void broker_profile_begin(Broker *broker, const ControlRequest *request);
void broker_profile_end(Broker *broker);

/* ==== broker stream =============================================================================================== */

/* Requests about streams and events. */

/* The stream with this number; 0 is the default stream, which the device knows as NULL. False if there is no such
 * stream. */
bool broker_stream(Broker *broker, uint64_t number, DeviceStream **stream);

Serve serve_synchronize, serve_stream_new, serve_stream_free, serve_stream_synchronize, serve_stream_query,
    serve_stream_wait, serve_event_new, serve_event_free, serve_event_record, serve_event_synchronize,
    serve_event_query, serve_event_elapsed, serve_host_call;

/* ==== broker launch =============================================================================================== */

Serve serve_launch;

#endif
