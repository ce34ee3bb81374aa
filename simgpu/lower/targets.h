/* targets.h - which pointer parameters of a kernel its stores and atomic operations on global memory go through, so
 * that a launch knows in advance which allocations it may change.
 *
 * For every register, the analysis collects the set of parameters that go into it by moves and arithmetic, on any
 * path through the code. It does not follow pointers that come from memory, nor addresses of module variables: a
 * store through one of these may go anywhere. Loaded numbers of 32 bits are taken to be indices.  */
#ifndef SIMGPU_LOWER_TARGETS_H
#define SIMGPU_LOWER_TARGETS_H

#include "simgpu/lower/emit/lowering.h"

/* Fills in Code.targets. */
void find_targets(Lowering *l);

#endif
