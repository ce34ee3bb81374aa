/* wait.h - the host waits for the device: then it sees managed memory, and memory freed on streams is given back.  */
#ifndef HARNESS_RUNTIME_WAIT_H
#define HARNESS_RUNTIME_WAIT_H

#include "harness/runtime/client.h"

cudaError_t wait_for_stream(cudaStream_t stream);
cudaError_t wait_for_event(cudaEvent_t event);
cudaError_t wait_for_device(void);
/* Calls a function after all earlier work in the stream, and before all later work: when its turn comes (turn.h), or now
 * where the device does not wait, or host and device share memory. Of the two, only the callback is called after an
 * error. */
cudaError_t host_function_run(cudaHostFn_t function, void *argument, cudaStream_t stream);
cudaError_t host_callback_run(cudaStreamCallback_t callback, void *argument, cudaStream_t stream);

#endif
