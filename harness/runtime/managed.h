/* managed.h - cudaMallocManaged() and __managed__ variables: device memory that the host can access at the same
 * address.
 *
 * The host has a copy, at the same virtual address as the memory on the device. What the program has changed there is
 * pushed to the device before every launch, and all is pulled back when the host synchronises. That suffices for devices whose concurrentManagedAccess is 0:
 * there host and device must not access managed memory at the same time.  */
#ifndef HARNESS_RUNTIME_MANAGED_H
#define HARNESS_RUNTIME_MANAGED_H

#include "harness/runtime/client.h"

/* Makes device memory at `address` managed, and pulls the host's copy of it. */
cudaError_t managed_adopt(uint64_t address, uint64_t bytes);
/* The memory is no longer managed. True if it was. */
bool managed_forget(uint64_t address);
bool managed_holds(uint64_t address);

cudaError_t managed_push(void);
cudaError_t managed_pull(void);
/* To be called after a copy to `address` that ended with `error`. If it succeeded and the address is managed, pulls the
 * host's copies. Returns the error of both. */
cudaError_t managed_refresh(uint64_t address, cudaError_t error);

#endif
