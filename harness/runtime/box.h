/* box.h - copies of boxes: rows and slices of bytes in host memory, device memory or a CUDA array.
 *
 * An end in host memory goes through staging, a piece at a time. A copy without such an end is one request.  */
#ifndef HARNESS_RUNTIME_BOX_H
#define HARNESS_RUNTIME_BOX_H

#include "harness/runtime/client.h"

typedef struct Place {        /* where a box begins */
    void *pointer;            /* in memory; NULL: in the array */
    size_t pitch, slice_rows; /* in memory: bytes from row to row, rows from slice to slice */
    uint64_t array;           /* the broker's number of the array */
    size_t x_bytes, y, z;     /* in the array */
} Place;

typedef struct Box {
    size_t width_bytes, height, depth;
} Box;

/* The pointer may be const, since nothing is written to the place that a copy reads. */
Place place_in_memory(const void *pointer, size_t pitch, size_t slice_rows);
/* The place at this distance from another. */
Place place_behind(Place place, size_t x_bytes, size_t y, size_t z);

/* Copies a box within host memory. */
void box_copy_on_host(Place to, Place from, Box box);

/* Copies nothing if an extent is 0. The addresses tell which end is in host memory; the kind is only checked. */
cudaError_t box_copy(Place to, Place from, Box box, enum cudaMemcpyKind kind, cudaStream_t stream);

#endif
