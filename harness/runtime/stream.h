/* stream.h - streams and events are numbers of the broker's, in the clothes of CUDA's pointers.  */
#ifndef HARNESS_RUNTIME_STREAM_H
#define HARNESS_RUNTIME_STREAM_H

#include "harness/runtime/client.h"

/* 0 for the default stream under each of its names. */
uint64_t stream_id(cudaStream_t stream);

#endif
