/* broker_memory.h - requests about linear device memory.  */
#ifndef HARNESS_BROKER_BROKER_MEMORY_H
#define HARNESS_BROKER_BROKER_MEMORY_H

#include "harness/broker/broker_state.h"

/* ==== broker arrays =============================================================================================== */

/* The arrays of one call of solve() on the device: Broker.arrays.
 *
 * Between allocation and release the submission may use them but not free them. Faults of these functions are the
 * judge's own (broker_launch.h). */

/* Also sets the limit of device memory for the submission's own allocations. */
void broker_arrays_allocate(Broker *broker, const ControlRequest *request);
/* Copies the inputs to the device, and poisons the outputs. */
void broker_arrays_fill(Broker *broker, const ControlRequest *request);
/* Copies the outputs back. */
void broker_arrays_give(Broker *broker, const ControlRequest *request);
/* Reports what has become of inputs and outputs. */
void broker_arrays_examine(Broker *broker, const ControlRequest *request);
void broker_arrays_release(Broker *broker);

/* ==== broker texture ============================================================================================== */

/* Requests about CUDA arrays, textures and surfaces, and copies of boxes. */

Serve serve_copy_box, serve_copy_away, serve_turn, serve_fill_rows, serve_array_new, serve_array_free,
    serve_texture_new, serve_texture_free, serve_surface_new, serve_surface_free;

/* ==== broker tensor =============================================================================================== */

/* Requests for tensor maps. */

Serve serve_tensor_map;

/* ==== broker memory =============================================================================================== */

/* Carries out all operations that are waiting; DEVICE_HOST_TURN: a copy of the runner's comes first. To be called before
 * something is taken apart that they use. */
CudaError broker_settle(Broker *broker);

Serve serve_alloc, serve_release, serve_memory_info, serve_owned, serve_write, serve_read, serve_copy, serve_fill,
    serve_settle, serve_renew;

#endif
