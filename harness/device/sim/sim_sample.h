/* sim_sample.h - launches that run a random sample of their blocks (simgpu/gpu/block_sample.h), and whether the rest of
 * the call goes without the blocks that did not run.
 *
 * A kernel that ran in part leaves memory incomplete. If anything else in the call uses an allocation that it stored into,
 * before or after it, nobody can tell what its blocks have written, or what others made of it. Then the call counts for
 * nothing, and its caller repeats it with all blocks. The same holds for a second sample in one call. What the kernel
 * itself loads again of such an allocation is no other use: a block may read what it has stored, and one that read what
 * others store would race with them.  */
#ifndef HARNESS_DEVICE_SIM_SIM_SAMPLE_H
#define HARNESS_DEVICE_SIM_SIM_SAMPLE_H

#include "harness/device/sim/sim_state.h"

/* SimLaunch.sample_lane_instructions of the next launch. */
uint64_t sim_sample_limit(const SimDevice *sim);
/* SimLaunch.marked of the next launch: the output. */
SimMarked sim_sample_marked(const SimDevice *sim);
/* A launch has ended: the first precedes sim_sample_touches() for what it has used, the second follows. */
void sim_sample_check(SimDevice *sim, const SimReport *report);
void sim_sample_keep(SimDevice *sim, const SimReport *report);
/* Any operation uses these bytes. */
void sim_sample_touches(SimDevice *sim, uint64_t address, uint64_t bytes, bool is_store);
void sim_sample_reset(SimDevice *sim);

#endif
