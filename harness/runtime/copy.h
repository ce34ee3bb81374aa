/* copy.h - copies between the submission's host memory and the device, through staging, a piece at a time.  */
#ifndef RUNTIME_COPY_H
#define RUNTIME_COPY_H

#include "harness/runtime/client.h"

cudaError_t copy_to_device(uint64_t to, const void *from, uint64_t bytes, uint64_t stream);
cudaError_t copy_from_device(void *to, uint64_t from, uint64_t bytes, uint64_t stream);

/* Lies in the range of device memory; managed memory does, too. */
bool is_device_address(const void *address);

#endif
