/* memory.h - allocations of device memory.  */
#ifndef HARNESS_RUNTIME_MEMORY_H
#define HARNESS_RUNTIME_MEMORY_H

#include "harness/runtime/client.h"

/* Asks the broker, whatever is being captured. */
cudaError_t memory_allocate(uint64_t bytes, uint64_t *address);
cudaError_t memory_release(uint64_t address);

#endif
