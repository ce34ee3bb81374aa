/* broker_memory.h - requests about linear device memory.  */
#ifndef HARNESS_BROKER_BROKER_MEMORY_H
#define HARNESS_BROKER_BROKER_MEMORY_H

#include "harness/broker/broker_request.h"

/* True if the bytes lie in one allocation (the submission's or an array of the call) or in one variable. */
bool broker_owns(Broker *broker, uint64_t address, uint64_t bytes);

/* A copy within the device is about to write to `address`. */
void broker_note_device_copy(Broker *broker, uint64_t address);

/* If the host waits (RingWait), carries out what the stream holds, on a device where operations may wait. */
CudaError broker_finish(Broker *broker, DeviceStream *stream, uint64_t wait);
/* Carries out all operations that are waiting; DEVICE_HOST_TURN: a copy of the runner's comes first. To be called before
 * something is taken apart that they use. */
CudaError broker_settle(Broker *broker);

Serve serve_alloc, serve_release, serve_memory_info, serve_owned, serve_write, serve_read, serve_copy, serve_fill,
    serve_settle, serve_renew;

#endif
