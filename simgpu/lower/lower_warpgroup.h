/* lower_warpgroup.h - matrix instructions of a warpgroup, four warps: wgmma.  */
#ifndef SIMGPU_LOWER_LOWER_WARPGROUP_H
#define SIMGPU_LOWER_LOWER_WARPGROUP_H

#include "simgpu/lower/emit/parts.h"

/* wgmma.mma_async */
void lower_warpgroup_product(Lowering *l, const OpcodeModifiers *parts);
/* wgmma.fence, .commit_group, .wait_group */
void lower_warpgroup_order(Lowering *l, const OpcodeModifiers *parts);

#endif
