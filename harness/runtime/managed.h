/* managed.h - memory that host and device can both access: cudaMallocManaged(), __managed__ variables, and pinned host
 * memory that kernels use (mapped, or zero-copy).
 *
 * Host and device each have a copy; of managed memory, both at the same virtual address. What the program has changed in
 * its copy is pushed to the device before every launch, and all the rest is pulled back when the host synchronises. That
 * suffices for devices whose concurrentManagedAccess is 0: there host and device must not access managed memory at the
 * same time. Of mapped memory, too, the host sees what a kernel has written when it has waited for the kernel, and a
 * kernel sees what the host has written before the launch.
 *
 * So no memory is shared with the submission: what it writes after solve() has returned reaches nothing, each push is a
 * copy from the host (which the judge follows, and which has its time), and each pull one to it.  */
#ifndef HARNESS_RUNTIME_MANAGED_H
#define HARNESS_RUNTIME_MANAGED_H

#include "harness/runtime/client.h"

/* Makes device memory at `address` managed, and pulls the host's copy of it. */
cudaError_t managed_adopt(uint64_t address, uint64_t bytes);
/* Gives host memory a copy on the device, if it has none; `address` is the device's. */
cudaError_t managed_map(void *host, uint64_t bytes, uint64_t *address);
/* Frees the device's copy of host memory. */
void managed_unmap(const void *host);
/* The memory on the device is no longer managed, or mapped. True if it was. */
bool managed_forget(uint64_t address);
/* The host's copy of a byte on the device; NULL: the address is not managed. */
void *managed_host_address(uint64_t address);
bool managed_holds(uint64_t address);
/* Is anything managed or mapped? */
bool managed_exists(void);

cudaError_t managed_push(void);
/* The same before a launch on a stream, which then waits for the copies. */
cudaError_t managed_push_for(cudaStream_t stream);
cudaError_t managed_pull(void);
/* To be called after a copy to `address` that ended with `error`. If it succeeded and the address is managed, pulls the
 * host's copies. Returns the error of both. */
cudaError_t managed_refresh(uint64_t address, cudaError_t error);

#endif
