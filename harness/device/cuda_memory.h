/* cuda_memory.h - device memory of a real GPU with red zones around it, and copies.  */
#ifndef HARNESS_DEVICE_CUDA_MEMORY_H
#define HARNESS_DEVICE_CUDA_MEMORY_H

#include "harness/device/cuda_gate.h"
#include "harness/device/device.h"

#include <stddef.h>
#include <stdint.h>

/* ==== cuda managed ================================================================================================ */

/* Counts the managed memory that a module asks for.
 *
 * The driver would give a module more managed memory than the device has, and take the rest from the host's, which no
 * limit of the judge counts. So the judge reads the sizes before it loads the module. */

/* Returns at least the bytes of all variables with `.attribute(.managed)` in the PTX that the image holds as plain
 * text. UINT64_MAX: too many, or a size that is no plain number. */
uint64_t cuda_managed_bytes(const void *image, size_t bytes);

/* ==== cuda exchange =============================================================================================== */

/* Device memory that two processes share. */

extern const DeviceExchangeOps CUDA_EXCHANGE_OPS;

/* ==== cuda array ================================================================================================== */

/* CUDA arrays, textures and surfaces of a real GPU. */

extern const DeviceArrayOps CUDA_ARRAY_OPS;
extern const DeviceTextureOps CUDA_TEXTURE_OPS;

/* ==== cuda tensor ================================================================================================= */

/* Tensor maps of a real GPU. */

extern const DeviceTensorOps CUDA_TENSOR_OPS;

/* ==== cuda memory ================================================================================================= */

extern const DeviceMemoryOps CUDA_MEMORY_OPS;
extern const DeviceCopyOps CUDA_COPY_OPS;

/* Returns the bytes that count against the memory limit. */
static inline uint64_t cuda_used_bytes(const CudaDevice *cuda)
{
    return cuda->range.used_bytes + cuda->array_bytes;
}
/* Checks the red zones of all pieces, or of one (NULL: all); a byte that has changed there is a fault. */
MUST_USE CudaError cuda_check_zones(CudaDevice *cuda, const AddressPiece *only);

#endif
