/* cuda_origin.h - who made the contents of a real GPU's memory, as far as copies tell (host_origin.h).
 *
 * Only what happens between the begin and the end of a bracket counts: all else is the judge's own. A CUDA array has no
 * addresses; in the bookkeeping its rows lie one behind the other in a place of their own, behind all device memory.
 *
 * Errors   MEMORY_ALLOCATION: the host has written too many separate pieces.  */
#ifndef HARNESS_DEVICE_CUDA_CUDA_ORIGIN_H
#define HARNESS_DEVICE_CUDA_CUDA_ORIGIN_H

#include "harness/device/cuda/cuda_state.h"

typedef struct OriginRows { /* where the rows of a box or of an array lie in the bookkeeping */
    uint64_t first, pitch, slice_bytes;
} OriginRows;

/* The place of a new array. */
OriginRows cuda_origin_place(CudaDevice *cuda, const DeviceShape *shape, uint64_t bytes);

/* Each must be called before the driver is asked. */
MUST_USE CudaError cuda_origin_write(CudaDevice *cuda, uint64_t to, const void *from, uint64_t bytes);
MUST_USE CudaError cuda_origin_fill(CudaDevice *cuda, uint64_t to, uint8_t value, uint64_t bytes);
MUST_USE CudaError cuda_origin_copy(CudaDevice *cuda, uint64_t to, uint64_t from, uint64_t bytes);
/* `host` has the pitches of `from`. */
MUST_USE CudaError cuda_origin_write_box(CudaDevice *cuda, const OriginRows *to, const void *from,
                                         const OriginRows *host, const DeviceBox *box);
MUST_USE CudaError cuda_origin_copy_box(CudaDevice *cuda, const OriginRows *to, const OriginRows *from,
                                        const DeviceBox *box);

/* Of DeviceMemoryOps. The first reads back what the host may have written. */
CudaError cuda_origin_of(Device *device, uint64_t address, uint64_t bytes, uint32_t element_bytes,
                         ContentOrigin *origin);
void cuda_origin_forget(Device *device, uint64_t address, uint64_t bytes);

#endif
