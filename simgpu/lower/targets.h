/* targets.h - from which pointer parameters and module variables a kernel makes the addresses of its accesses. So a
 * launch knows in advance which allocations it may change, and a message names the array that the source names.
 *
 * For every register, the analysis collects the set of parameters that go into it by moves and arithmetic, on any
 * path through the code. It does not follow pointers that come from memory, nor addresses of module variables: a
 * store through one of these may go anywhere. Loaded numbers of 32 bits are taken to be indices.  */
#ifndef SIMGPU_LOWER_TARGETS_H
#define SIMGPU_LOWER_TARGETS_H

#include "simgpu/lower/lowering.h"

/* Fills in Code.targets, and the origin of each access to global or constant memory. */
void find_targets(Lowering *l);

#endif
