/* managed.h - cudaMallocManaged() and __managed__ variables: device memory whose pages the host can touch as well.
 *
 * The host's copy lies at the same address; it is pushed to the device before every launch and pulled back when the
 * host has waited. That is all that CUDA promises where host and device may not touch managed memory at once.  */
#ifndef HARNESS_RUNTIME_MANAGED_H
#define HARNESS_RUNTIME_MANAGED_H

#include "harness/runtime/client.h"

/* Makes device memory at `address` managed, and reads the host's copy of it. */
cudaError_t managed_adopt(uint64_t address, uint64_t bytes);
/* No longer managed; true where it was. */
bool managed_forget(uint64_t address);
bool managed_holds(uint64_t address);

cudaError_t managed_push(void);
cudaError_t managed_pull(void);
/* What a copy to `address` ended with; where it went well and the address is managed, the host's copy is read again. */
cudaError_t managed_refresh(uint64_t address, cudaError_t error);

#endif
