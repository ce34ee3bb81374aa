/* copy.h - copies and fills of memory that are done at once, whatever is being captured.  */
#ifndef HARNESS_RUNTIME_COPY_H
#define HARNESS_RUNTIME_COPY_H

#include "harness/runtime/client.h"

/* The addresses tell which end is in host memory; the kind is only checked. */
cudaError_t copy_bytes(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t fill_bytes(void *to, int value, size_t bytes, cudaStream_t stream);
cudaError_t fill_rows_of_bytes(void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream);

/* The address `offset` bytes into a variable, if `count` bytes fit there. */
cudaError_t symbol_address(const void *symbol, size_t count, size_t offset, void **address);

#endif
