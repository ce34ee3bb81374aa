/* box.h - copies of boxes: rows and slices of bytes in host memory, device memory or a CUDA array.
 *
 * The host's end goes through staging, a piece at a time; where no end is the host's, the copy is one request.  */
#ifndef HARNESS_RUNTIME_BOX_H
#define HARNESS_RUNTIME_BOX_H

#include "harness/runtime/client.h"

typedef struct Place {        /* where a box begins */
    void *pointer;            /* NULL: in the array */
    size_t pitch, slice_rows; /* of what the pointer points to: bytes from row to row, rows from slice to slice */
    uint64_t array;           /* the broker's number */
    size_t x_bytes, y, z;     /* in the array */
} Place;

typedef struct Box {
    size_t width_bytes, height, depth;
} Box;

/* A source is not written to. */
Place place_in_memory(const void *pointer, size_t pitch, size_t slice_rows);
/* The place that lies so far behind another. */
Place place_behind(Place place, size_t x_bytes, size_t y, size_t z);

/* Nothing is copied where an extent is 0. Addresses decide what is host memory, not the kind. */
cudaError_t copy_box(Place to, Place from, Box box, enum cudaMemcpyKind kind, cudaStream_t stream);

#endif
