/* cuda_managed.h - how much managed memory a module asks for.
 *
 * The driver would give a module more managed memory than the device has, and take the rest from the host's, which no
 * limit of the judge counts. So the judge reads the sizes before it loads the module.  */
#ifndef HARNESS_DEVICE_CUDA_CUDA_MANAGED_H
#define HARNESS_DEVICE_CUDA_CUDA_MANAGED_H

#include <stddef.h>
#include <stdint.h>

/* At least the bytes of all variables with `.attribute(.managed)` in the PTX that the image holds as plain text.
 * UINT64_MAX: too many, or a size that is no plain number. */
uint64_t cuda_managed_bytes(const void *image, size_t bytes);

#endif
