/* stream.h - streams and events. A cudaStream_t or cudaEvent_t is the broker's number, cast to a pointer. The functions do
 * the same as CUDA's calls, whatever is being captured, and without the last error.  */
#ifndef HARNESS_RUNTIME_STREAM_H
#define HARNESS_RUNTIME_STREAM_H

#include "harness/runtime/client.h"

enum { GREATEST_PRIORITY = -5 /* as on an H200 */ };

typedef struct StreamInfo { /* the arguments that a stream was created with */
    unsigned flags;
    int priority;
} StreamInfo;

/* The number of the stream; 0 for the legacy default stream (NULL, cudaStreamLegacy). cudaStreamPerThread is a stream of the
 * calling thread, which is made when it is first used. */
uint64_t stream_id(cudaStream_t stream);
cudaError_t stream_info(cudaStream_t stream, StreamInfo *info);
bool stream_is_non_blocking(cudaStream_t stream);
cudaError_t stream_new(cudaStream_t *stream, unsigned flags, int priority);
/* The same of a stream for a branch of graphs, which programs do not see. */
cudaError_t stream_new_of_graph(cudaStream_t *stream);
cudaError_t stream_free(cudaStream_t stream);
cudaError_t stream_wait(cudaStream_t stream, cudaEvent_t event);

uint64_t event_id(cudaEvent_t event);
cudaError_t event_new(cudaEvent_t *event, unsigned flags);
cudaError_t event_free(cudaEvent_t event);
cudaError_t event_record(cudaEvent_t event, cudaStream_t stream);

/* In place of a stream: the legacy default stream, and the copy has ended when the CUDA call returns. */
#define HOST_WAITS ((cudaStream_t)(uintptr_t)3) /* CUDA uses 0, 1 and 2 for default streams */

RingWait stream_copy_wait(cudaStream_t stream);

#endif
