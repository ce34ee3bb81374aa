/* pool.h - memory pools: what streams allocate and free in their order.
 *
 * Memory that was freed on a stream is given back to the device when the host has waited for that stream: to give it back
 * earlier, the host would have to wait. It is not used again before that, so that the simulated GPU sees reads of memory
 * that nothing has written.  */
#ifndef HARNESS_RUNTIME_POOL_H
#define HARNESS_RUNTIME_POOL_H

#include "harness/runtime/client.h"

cudaError_t pool_allocate(void **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream);
/* From which cudaMallocAsync() allocates. */
cudaMemPool_t pool_in_use(void);
/* Frees memory on a stream. False: it comes from no pool. */
bool pool_free(uint64_t address, cudaStream_t stream, cudaError_t *error);
/* The host has waited for a stream, or for the whole device. */
void pool_settle(cudaStream_t stream);
void pool_settle_all(void);
/* The memory is freed by cudaFree(). True if it has been freed on a stream already. */
bool pool_forget(uint64_t address);

#endif
