/* wait.h - the host waits for the device: then it sees managed memory, and memory freed on streams is given back.  */
#ifndef HARNESS_RUNTIME_WAIT_H
#define HARNESS_RUNTIME_WAIT_H

#include "harness/runtime/client.h"

/* ==== pool ======================================================================================================== */

/* Memory pools: what streams allocate and free in their order.
 *
 * Memory that was freed on a stream is given back to the device when the host has waited for that stream: to give it back
 * earlier, the host would have to wait. It is not used again before that, so that the simulated GPU sees reads of memory
 * that nothing has written. */

cudaError_t pool_allocate(void **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream);
/* Returns the pool from which cudaMallocAsync() allocates. */
cudaMemPool_t pool_in_use(void);
/* Frees memory on a stream. False: it comes from no pool. */
bool pool_free(uint64_t address, cudaStream_t stream, cudaError_t *error);
/* The host has waited for a stream, or for the whole device. */
void pool_settle(cudaStream_t stream);
void pool_settle_all(void);
/* The memory is freed by cudaFree(). True if it has been freed on a stream already. */
bool pool_forget(uint64_t address);

/* ==== graph memory ================================================================================================ */

/* Memory that a captured cudaMallocAsync() allocates.
 *
 * It has one address, in every launch. It is given back when no node names it any more, in a graph or in one that can be launched, and
 * it is not allocated: a launch may allocate it, and another one, or a call outside of graphs, free it. */

/* The caller holds it until graph_memory_let_go(). */
cudaError_t graph_memory_new(void **pointer, size_t bytes);
/* Is it such memory? */
bool graph_memory_is(uint64_t address);
/* One more node names it, or one fewer. */
void graph_memory_hold(uint64_t address);
void graph_memory_let_go(uint64_t address);
/* A node allocates it, or a node or a call frees it, in the order of the stream. */
cudaError_t graph_memory_renew(uint64_t address, RingRenewal kind, cudaStream_t stream);

/* ==== wait ======================================================================================================== */

cudaError_t wait_for_stream(cudaStream_t stream);
cudaError_t wait_for_event(cudaEvent_t event);
cudaError_t wait_for_device(void);
/* Calls a function after all earlier work in the stream, and before all later work: when its turn comes (turn.h), or now
 * where the device does not wait, or host and device share memory. Of the two, only the callback is called after an
 * error. */
cudaError_t host_function_run(cudaHostFn_t function, void *argument, cudaStream_t stream);
cudaError_t host_callback_run(cudaStreamCallback_t callback, void *argument, cudaStream_t stream);

#endif
