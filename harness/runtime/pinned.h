/* pinned.h - pinned host memory: here it is ordinary memory, of which the library keeps a list.  */
#ifndef HARNESS_RUNTIME_PINNED_H
#define HARNESS_RUNTIME_PINNED_H

#include <stdbool.h>

/* True if the address lies in pinned memory; `flags` are those of cudaHostAlloc() or cudaHostRegister(). */
bool pinned_find(const void *address, unsigned *flags);

#endif
