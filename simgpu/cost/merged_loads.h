/* merged_loads.h - finds loads from shared memory that ptxas merges into one machine instruction.
 *
 * If a basic block of PTX loads neighbouring elements one by one, [r], [r + 4], [r + 8], [r + 12], and r is a multiple
 * of 16, the machine code may have one LDS.128 instead of the four. That is one request, with other wavefronts than the
 * four. It has the PTX line of the first load. So the first is marked to count for all, and the others to count
 * nothing.
 *
 * Errors   none: loads that the machine code does not show, or shows in another way, are counted as in PTX. So are
 *          loads of several iterations of a loop that ptxas merges, since they are one load of PTX.
 * Source   encoding of compute capability 7.0 to 9.0 as nvdisasm shows it for nvcc 13.0.  */
#ifndef SIMGPU_COST_MERGED_LOADS_H
#define SIMGPU_COST_MERGED_LOADS_H

#include "simgpu/code/code.h"

/* Bytes per lane of an access on hardware, if PTX has `bytes`. */
static inline uint32_t merged_bytes(const Instruction *access, uint32_t bytes)
{
    return access->merged_bytes > 0 ? access->merged_bytes : bytes;
}

void merged_loads_find(const void *cubin, size_t bytes, const char *kernel, Code *code);

#endif
