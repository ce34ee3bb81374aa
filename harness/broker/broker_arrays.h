/* broker_arrays.h - the arrays of one call of solve() on the device: Broker.arrays.
 *
 * Between allocation and release the submission may use them but not free them. Faults of these functions are the
 * judge's own (broker_fault.h).  */
#ifndef HARNESS_BROKER_BROKER_ARRAYS_H
#define HARNESS_BROKER_BROKER_ARRAYS_H

#include "harness/broker/broker_state.h"

/* Also sets the limit of device memory for the submission's own allocations. */
void broker_arrays_allocate(Broker *broker, const ControlRequest *request);
/* Copies the inputs to the device, and poisons the outputs. */
void broker_arrays_fill(Broker *broker, const ControlRequest *request);
/* Copies the outputs back. */
void broker_arrays_give(Broker *broker, const ControlRequest *request);
/* Reports what has become of inputs and outputs. */
void broker_arrays_examine(Broker *broker, const ControlRequest *request);
void broker_arrays_release(Broker *broker);

#endif
