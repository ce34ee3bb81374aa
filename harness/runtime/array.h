/* array.h - CUDA arrays. A cudaArray_t is the broker's number of the array, cast to a pointer.  */
#ifndef HARNESS_RUNTIME_ARRAY_H
#define HARNESS_RUNTIME_ARRAY_H

#include "harness/runtime/client.h"

typedef struct RuntimeArray {
    uint64_t id;
    struct cudaChannelFormatDesc channels;
    struct cudaExtent extent; /* elements; 0: the array does not have this dimension */
    unsigned flags;
    size_t element_bytes;
    struct RuntimeArray *next;
} RuntimeArray;

typedef struct ChannelFormat {
    uint32_t format, channels; /* as in RingArray */
    size_t element_bytes;
} ChannelFormat;

/* The array is valid until the submission frees it. cudaErrorInvalidResourceHandle: there is no such array. */
cudaError_t array_find(cudaArray_const_t handle, const RuntimeArray **array);
/* cudaErrorInvalidChannelDescriptor: CUDA has no arrays of such elements. */
cudaError_t channel_format(const struct cudaChannelFormatDesc *channels, ChannelFormat *format);

#endif
