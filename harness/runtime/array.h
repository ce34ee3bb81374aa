/* array.h - CUDA arrays: numbers of the broker's, in the clothes of CUDA's pointers, with what they were made as.  */
#ifndef HARNESS_RUNTIME_ARRAY_H
#define HARNESS_RUNTIME_ARRAY_H

#include "harness/runtime/client.h"

typedef struct Array {
    uint64_t id;
    struct cudaChannelFormatDesc channels;
    struct cudaExtent extent; /* elements; 0: that dimension does not exist */
    unsigned flags;
    size_t element_bytes;
    struct Array *next;
} Array;

typedef struct ChannelFormat { /* as the ring has it */
    uint32_t format, channels;
    size_t element_bytes;
} ChannelFormat;

/* cudaErrorInvalidResourceHandle where there is no such array. It lives until it is freed. */
cudaError_t array_find(cudaArray_const_t handle, const Array **array);
/* cudaErrorInvalidChannelDescriptor where CUDA has no such elements. */
cudaError_t channel_format(const struct cudaChannelFormatDesc *channels, ChannelFormat *format);

#endif
