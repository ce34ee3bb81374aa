/* copy.h - copies and fills of memory that are done at once, whatever is being captured.  */
#ifndef HARNESS_RUNTIME_COPY_H
#define HARNESS_RUNTIME_COPY_H

#include "harness/runtime/box.h"
#include "harness/runtime/client.h"

/* ==== array ======================================================================================================= */

/* CUDA arrays. A cudaArray_t is the broker's number of the array, cast to a pointer. */

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

/* A cudaMipmappedArray_t points to one. Each level is an array, half as large as the one before. */
struct cudaMipmappedArray {
    uint32_t levels;
    cudaArray_t level[RING_MAX_LEVELS];
};

/* The array is valid until the submission frees it. cudaErrorInvalidResourceHandle: there is no such array. */
cudaError_t array_find(cudaArray_const_t handle, const RuntimeArray **array);
/* cudaErrorInvalidChannelDescriptor: CUDA has no arrays of such elements. */
cudaError_t channel_format(const struct cudaChannelFormatDesc *channels, ChannelFormat *format);

/* ==== array place ================================================================================================= */

/* The position of a box in an array. */

size_t array_row_bytes(const RuntimeArray *array);
/* A box that exceeds the array is refused before anything is copied. */
cudaError_t array_check_box(const RuntimeArray *array, const CopyPlace *place, const Box *box);
cudaError_t array_place(cudaArray_const_t handle, size_t x_bytes, size_t y, size_t z, const Box *box, CopyPlace *place);

/* The places and the box of a copy in three dimensions, and the other way round. */
cudaError_t places_of_3d(const struct cudaMemcpy3DParms *what, CopyPlace *target, CopyPlace *source, Box *box);
struct cudaMemcpy3DParms parameters_of_3d(const CopyPlace *target, const CopyPlace *source, const Box *box,
                                          enum cudaMemcpyKind kind);

/* ==== copy ======================================================================================================== */

/* The addresses tell which end is in host memory; the kind is only checked. */
cudaError_t copy_bytes(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t fill_bytes(void *to, int value, size_t bytes, cudaStream_t stream);
cudaError_t fill_rows_of_bytes(void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream);

/* The address `offset` bytes into a variable, if `count` bytes fit there. */
cudaError_t symbol_address(const void *symbol, size_t count, size_t offset, void **address);

#endif
