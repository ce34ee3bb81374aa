/* box.h - copies of boxes: rows and slices of bytes in host memory, device memory or a CUDA array.
 *
 * An end in host memory goes through staging, a piece at a time. A copy without such an end is one request.  */
#ifndef HARNESS_RUNTIME_BOX_H
#define HARNESS_RUNTIME_BOX_H

#include "harness/runtime/client.h"
#include "harness/runtime/place.h"

/* May a copy that uses this host memory wait for its turn (turn.h)? So it is with a simulated GPU, pinned memory, and a
 * CUDA call whose name ends in Async. */
bool box_may_wait(const void *host, size_t bytes, cudaStream_t stream);

/* Copies nothing if an extent is 0. The addresses tell which end is in host memory; the kind is only checked. */
cudaError_t box_copy(Place to, Place from, Box box, enum cudaMemcpyKind kind, cudaStream_t stream);

#endif
