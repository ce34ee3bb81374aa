/* broker_stream.h - requests about streams and events.  */
#ifndef HARNESS_BROKER_BROKER_STREAM_H
#define HARNESS_BROKER_BROKER_STREAM_H

#include "harness/broker/broker_request.h"

/* The stream with this number; 0 is the default stream, which the device knows as NULL. False if there is no such
 * stream. */
bool broker_stream(Broker *broker, uint64_t number, DeviceStream **stream);

Serve serve_synchronize, serve_stream_new, serve_stream_free, serve_stream_synchronize, serve_stream_query,
    serve_stream_wait, serve_event_new, serve_event_free, serve_event_record, serve_event_synchronize,
    serve_event_query, serve_event_elapsed, serve_host_call;

#endif
