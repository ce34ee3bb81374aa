/* unwaited_products.h - finds instructions that take the sums of a wgmma before it has been waited for.
 *
 * A wgmma sets its registers at any time until a wgmma.wait_group waits for its group. Only another wgmma that adds to the
 * same sums may take them before. What is found is so on every path that leads there: on hardware a use that comes too early
 * on one path alone is undefined as well, but a path that the code shows need not be one that a thread can take.
 *
 * Source   PTX ISA 9.0, Asynchronous Warpgroup Level Matrix Instructions: wgmma.mma_async, wgmma.wait_group.  */
#ifndef SIMGPU_LOWER_FLOW_UNWAITED_PRODUCTS_H
#define SIMGPU_LOWER_FLOW_UNWAITED_PRODUCTS_H

#include "simgpu/lower/emit/lowering.h"

/* Puts a CHECK_WAITED in front of each such instruction. Registers are still virtual. */
void mark_unwaited_products(Lowering *l);

#endif
