/* stream.h - streams and events. A cudaStream_t or cudaEvent_t is the broker's number, cast to a pointer.  */
#ifndef HARNESS_RUNTIME_STREAM_H
#define HARNESS_RUNTIME_STREAM_H

#include "harness/runtime/client.h"

/* The number of the stream; 0 for the default stream (NULL, cudaStreamLegacy, cudaStreamPerThread). */
uint64_t stream_id(cudaStream_t stream);
bool stream_is_non_blocking(cudaStream_t stream);

/* The same as CUDA's calls, whatever is being captured, and without the last error. */
cudaError_t stream_new(cudaStream_t *stream, unsigned flags, int priority);
cudaError_t stream_wait(cudaStream_t stream, cudaEvent_t event);
cudaError_t event_new(cudaEvent_t *event, unsigned flags);
cudaError_t event_free(cudaEvent_t event);
cudaError_t event_record(cudaEvent_t event, cudaStream_t stream);
/* The function runs in the calling thread, which first waits for all earlier work in the stream. */
cudaError_t host_function_run(cudaHostFn_t function, void *argument, cudaStream_t stream);

#endif
