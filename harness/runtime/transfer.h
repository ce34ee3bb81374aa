/* transfer.h - copies bytes between host and device memory through staging, a piece at a time.  */
#ifndef HARNESS_RUNTIME_TRANSFER_H
#define HARNESS_RUNTIME_TRANSFER_H

#include "harness/runtime/client.h"

enum { TRANSFER_PIECE_BYTES = 4 << 20 };

cudaError_t transfer_to_device(uint64_t to, const void *from, uint64_t bytes, uint64_t stream, RingWait wait);
cudaError_t transfer_from_device(void *to, uint64_t from, uint64_t bytes, uint64_t stream, RingWait wait);
/* Checks that the bytes lie in one allocation or variable. A copy of several pieces begins with this check, so that it
 * copies all or nothing. */
cudaError_t transfer_check(uint64_t address, uint64_t bytes);

#endif
