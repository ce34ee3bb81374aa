/* pinned.h - pinned host memory: here it is ordinary memory, of which the library keeps a list. What kernels use of it
 * gets a copy on the device (managed.h).  */
#ifndef HARNESS_RUNTIME_PINNED_H
#define HARNESS_RUNTIME_PINNED_H

#include "harness/runtime/client.h"

/* True if all of the bytes lie in one piece of pinned memory. */
bool pinned_holds(const void *address, size_t bytes);
/* True if the address lies in pinned memory; `flags` are those of cudaHostAlloc() or cudaHostRegister(). */
bool pinned_find(const void *address, unsigned *flags);
/* The address at which a kernel finds a byte of pinned memory. cudaErrorInvalidValue: it is not pinned. */
cudaError_t pinned_on_device(const void *address, uint64_t *device_address);
/* Replaces pointers into pinned memory by those that kernels can use, in words at multiples of eight bytes. */
cudaError_t pinned_replace(uint8_t *parameters, size_t bytes);
bool pinned_exists(void);

#endif
