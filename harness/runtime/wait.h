/* wait.h - the host waits for the device: then it sees managed memory, and memory freed on streams is given back.  */
#ifndef HARNESS_RUNTIME_WAIT_H
#define HARNESS_RUNTIME_WAIT_H

#include "harness/runtime/client.h"

cudaError_t wait_for_stream(cudaStream_t stream);
cudaError_t wait_for_event(cudaEvent_t event);
cudaError_t wait_for_device(void);
/* The function runs in the calling thread, which first waits for all earlier work in the stream. */
cudaError_t host_function_run(cudaHostFn_t function, void *argument, cudaStream_t stream);

#endif
