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

/* ==== transfer ==================================================================================================== */

/* Copies bytes between host and device memory through staging, a piece at a time. */

enum { TRANSFER_PIECE_BYTES = 4 << 20 };

cudaError_t transfer_to_device(uint64_t to, const void *from, uint64_t bytes, uint64_t stream, RingWait wait);
cudaError_t transfer_from_device(void *to, uint64_t from, uint64_t bytes, uint64_t stream, RingWait wait);
/* Checks that the bytes lie in one allocation or variable. A copy of several pieces begins with this check, so that it
 * copies all or nothing. */
cudaError_t transfer_check(uint64_t address, uint64_t bytes);

/* ==== stream ====================================================================================================== */

/* Streams and events. A cudaStream_t or cudaEvent_t is the broker's number, cast to a pointer. The functions do
 * the same as CUDA's calls, whatever is being captured, and without the last error. */

enum { GREATEST_PRIORITY = -5 /* as on an H200 */ };

typedef struct StreamInfo { /* the arguments that a stream was created with */
    unsigned flags;
    int priority;
} StreamInfo;

/* The number of the stream; 0 for the legacy default stream (NULL, cudaStreamLegacy). cudaStreamPerThread is a stream of the
 * calling thread, which is made when it is first used. */
uint64_t stream_id(cudaStream_t stream);
cudaError_t stream_info(cudaStream_t stream, StreamInfo *info);
bool stream_is_non_blocking(cudaStream_t stream);
cudaError_t stream_new(cudaStream_t *stream, unsigned flags, int priority);
/* The same of a stream for a branch of graphs, which programs do not see. */
cudaError_t stream_new_of_graph(cudaStream_t *stream);
cudaError_t stream_free(cudaStream_t stream);
cudaError_t stream_wait(cudaStream_t stream, cudaEvent_t event);

uint64_t event_id(cudaEvent_t event);
cudaError_t event_new(cudaEvent_t *event, unsigned flags);
cudaError_t event_free(cudaEvent_t event);
cudaError_t event_record(cudaEvent_t event, cudaStream_t stream);

/* Stands in place of a stream for the legacy default stream, where the copy has ended when the CUDA call returns. */
#define HOST_WAITS ((cudaStream_t)(uintptr_t)3) /* CUDA uses 0, 1 and 2 for default streams */

RingWait stream_copy_wait(cudaStream_t stream);

/* ==== memory ====================================================================================================== */

/* Allocations of device memory. */

/* Asks the broker, whatever is being captured. */
cudaError_t memory_allocate(uint64_t bytes, uint64_t *address);
cudaError_t memory_release(uint64_t address);

/* ==== managed ===================================================================================================== */

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
/* Must be called after a copy to `address` that ended with `error`. If the copy succeeded and the address is managed,
 * pulls the host's copies. Returns the error of both. */
cudaError_t managed_refresh(uint64_t address, cudaError_t error);

#endif
