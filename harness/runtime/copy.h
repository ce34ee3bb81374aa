/* copy.h - copies between the submission's host memory and the device, through staging, a piece at a time.  */
#ifndef RUNTIME_COPY_H
#define RUNTIME_COPY_H

#include "harness/runtime/client.h"

cudaError_t copy_to_device(uint64_t to, const void *from, uint64_t bytes, uint64_t stream);
cudaError_t copy_from_device(void *to, uint64_t from, uint64_t bytes, uint64_t stream);
/* Whether the bytes lie in one allocation or variable. */
cudaError_t check_owned(uint64_t address, uint64_t bytes);
/* Whether a copy between such ends is what its kind allows. */
cudaError_t check_kind(bool to_device, bool from_device, enum cudaMemcpyKind kind);

/* In the reserved range of device memory; managed memory is, too. */
bool is_arena_address(uint64_t address);
/* There, or in a variable of the device. */
bool is_device_address(const void *address);

#endif
