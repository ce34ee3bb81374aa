/* library_kernel.h - finds the whole-device algorithms of cub and thrust among the kernels of a submission.
 *
 * Such an algorithm (thrust::reduce, cub::DeviceScan) brings kernels of its own, which lie in the namespaces of these
 * libraries, whatever the source calls them: the compiler writes their names. What works within a block or a warp
 * (cub::BlockScan, cuda::atomic) is a part of the submission's own kernels.  */
#ifndef HARNESS_COMPILE_LIBRARY_KERNEL_H
#define HARNESS_COMPILE_LIBRARY_KERNEL_H

#include "harness/compile/compiled.h"

#include <stdbool.h>
#include <stddef.h>

/* Writes the name of the first one, such as "cub::detail::reduce::DeviceReduceKernel"; false where there is none. */
bool library_kernel_find(const Compiled *compiled, char *name, size_t size);

/* The same for one kernel, given by its mangled name of `length` bytes. */
bool library_kernel_name(const char *mangled, size_t length, char *name, size_t size);

#endif
