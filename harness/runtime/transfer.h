/* transfer.h - bytes between the submission's host memory and the device, through staging, a piece at a time.  */
#ifndef HARNESS_RUNTIME_TRANSFER_H
#define HARNESS_RUNTIME_TRANSFER_H

#include "harness/runtime/client.h"

enum { TRANSFER_PIECE_BYTES = 4 << 20 };

cudaError_t transfer_to_device(uint64_t to, const void *from, uint64_t bytes, uint64_t stream);
cudaError_t transfer_from_device(void *to, uint64_t from, uint64_t bytes, uint64_t stream);
/* Whether the bytes lie in one allocation or variable: nothing is copied where not all of it can be. */
cudaError_t transfer_check(uint64_t address, uint64_t bytes);

#endif
