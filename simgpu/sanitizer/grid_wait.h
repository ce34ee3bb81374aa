/* grid_wait.h - which threads of a block have waited for the kernel before (griddepcontrol.wait).
 *
 * A kernel that is launched with programmatic stream serialization may begin as soon as each block of the kernel before
 * has let it (griddepcontrol.launch_dependents) or has ended. What that kernel has stored is sure to be there once a
 * thread has waited, for this thread and for those that wait for it in turn. So a footprint tells apart
 *   - the early uses of memory, by threads that have not waited, and
 *   - the late loads, of a block that has let the next kernel begin.
 *
 * Source   PTX ISA, Parallel Synchronization and Communication Instructions, "griddepcontrol"; CUDA Programming Guide,
 *          "Programmatic Dependent Launch and Synchronization".  */
#ifndef SIMGPU_SANITIZER_GRID_WAIT_H
#define SIMGPU_SANITIZER_GRID_WAIT_H

#include "simgpu/block/active.h"
#include "simgpu/code/code.h"
#include "simgpu/sanitizer/sanitizer_state.h"

/* All threads of the block, or of its cluster, have passed a barrier; the active lanes of each warp a .sync operation. */
void grid_wait_barrier(Sanitizer *sanitizer);
void grid_wait_cluster_barrier(Sanitizer *sanitizer);
void grid_wait_sync_warps(Sanitizer *sanitizer, const Active *active);
/* The warps of `active` may have waited for any other thread of the block. */
void grid_wait_follow(Sanitizer *sanitizer, const Active *active);

/* The first active lane that has not waited, or else the first one. */
uint32_t grid_wait_earliest(const Sanitizer *sanitizer, const Active *active);
/* The bits that these uses of memory (FootprintUse) have besides: by a lane of the block; by some thread of it. */
uint32_t grid_wait_uses_of(const Sanitizer *sanitizer, uint32_t lane, uint32_t uses);
uint32_t grid_wait_uses(const Sanitizer *sanitizer, uint32_t uses);

#endif
