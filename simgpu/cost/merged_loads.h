/* merged_loads.h - loads from shared memory that ptxas makes one machine instruction of.
 *
 * Where a basic block of PTX loads neighbouring elements one by one, [r], [r + 4], [r + 8], [r + 12], and r is a
 * multiple of 16, the machine code may have one LDS.128 in place of the four: one request, and other wavefronts than
 * theirs. It carries the PTX line of the first. Here that one learns to count for all, and the others to count nothing.
 *
 * Errors   none: what the machine code does not say, or says in another way, is counted as PTX has it. So are loads of
 *          several turns of a loop that ptxas merges: they are one load of PTX.
 * Source   encoding of compute capability 7.0 to 9.0 as nvdisasm shows it for nvcc 13.0.  */
#ifndef SIMGPU_COST_MERGED_LOADS_H
#define SIMGPU_COST_MERGED_LOADS_H

#include "simgpu/code/code.h"

/* Bytes a lane that an access takes on hardware, of which PTX says `bytes`. */
static inline uint32_t merged_bytes(const Instruction *access, uint32_t bytes)
{
    return access->merged_bytes > 0 ? access->merged_bytes : bytes;
}

void merged_loads_find(const void *cubin, size_t bytes, const char *kernel, Code *code);

#endif
