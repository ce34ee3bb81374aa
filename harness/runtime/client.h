/* client.h - the runtime's end of the ring, and the bookkeeping of errors.
 *
 * Errors     client_call() and its like return the broker's answer; result() makes it the calling thread's last error
 *            and tells the broker of the first one, so that the report can name the call.
 * Threads    any; a call that uses staging holds the lock from filling it to reading it.  */
#ifndef HARNESS_RUNTIME_CLIENT_H
#define HARNESS_RUNTIME_CLIENT_H

#include "harness/protocol/ring.h"
#include "harness/runtime/cuda_api.h"

/* Until then every call fails with cudaErrorInitializationError. */
void client_begin(RingMemory *ring);
/* Forgets the errors of the calling thread, and which one the broker has been told about: solve() is about to be called. */
void client_begin_call(void);

/* The lock is recursive. */
void client_lock(void);
void client_unlock(void);
uint8_t *client_staging(void);

/* Asks and waits. `reply` may be NULL. */
cudaError_t client_call(RingKind kind, RingWords words, RingReply *reply);
cudaError_t client_call_body(RingKind kind, const void *body, size_t bytes, const void *more, size_t more_bytes,
                             RingReply *reply);
/* Asks and does not wait; its error comes with a later reply. */
void client_post(RingKind kind, const void *body, size_t bytes, const void *more, size_t more_bytes);
/* Waits until everything posted is done. */
void client_flush(void);

/* Every CUDA call ends with `return result(...)`. `call` is its name. */
#define result(error) result_of(__func__, error)
cudaError_t result_of(const char *call, cudaError_t error);
/* A CUDA call that this library does not provide. */
cudaError_t missing(const char *call);

#endif
