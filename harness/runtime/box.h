/* box.h - copies of boxes: rows and slices of bytes in host memory, device memory or a CUDA array.
 *
 * An end in host memory goes through staging, a piece at a time. A copy without such an end is one request.  */
#ifndef HARNESS_RUNTIME_BOX_H
#define HARNESS_RUNTIME_BOX_H

#include "harness/runtime/client.h"

/* ==== pinned ====================================================================================================== */

/* Pinned host memory: here it is ordinary memory, of which the library keeps a list. What kernels use of it
 * gets a copy on the device (managed.h). */

/* True if all of the bytes lie in one piece of pinned memory. */
bool pinned_holds(const void *address, size_t bytes);
/* True if the address lies in pinned memory; `flags` are those of cudaHostAlloc() or cudaHostRegister(). */
bool pinned_find(const void *address, unsigned *flags);
/* The address at which a kernel finds a byte of pinned memory. cudaErrorInvalidValue: it is not pinned. */
cudaError_t pinned_on_device(const void *address, uint64_t *device_address);
/* Replaces pointers into pinned memory by those that kernels can use, in words at multiples of eight bytes. */
cudaError_t pinned_replace(uint8_t *parameters, size_t bytes);
bool pinned_exists(void);

/* ==== address ===================================================================================================== */

/* Tells whether an address lies in host or in device memory. */

/* True in device memory, managed memory included, and in a variable of the device. */
bool is_device_address(const void *address);
/* Checks the kind of a copy against the memory of its two ends. */
cudaError_t check_kind(bool to_device, bool from_device, enum cudaMemcpyKind kind);

/* ==== box ========================================================================================================= */

/* May a copy that uses this host memory wait for its turn (turn.h)? So it is with a simulated GPU, pinned memory, and a
 * CUDA call whose name ends in Async. */
bool box_may_wait(const void *host, size_t bytes, cudaStream_t stream);

/* Copies nothing if an extent is 0. The addresses tell which end is in host memory; the kind is only checked. */
cudaError_t box_copy(CopyPlace to, CopyPlace from, Box box, enum cudaMemcpyKind kind, cudaStream_t stream);

#endif
