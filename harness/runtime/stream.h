/* stream.h - streams and events. A cudaStream_t or cudaEvent_t is the broker's number, cast to a pointer.  */
#ifndef HARNESS_RUNTIME_STREAM_H
#define HARNESS_RUNTIME_STREAM_H

#include "harness/runtime/client.h"

/* The number of the stream; 0 for the default stream (NULL, cudaStreamLegacy, cudaStreamPerThread). */
uint64_t stream_id(cudaStream_t stream);

#endif
