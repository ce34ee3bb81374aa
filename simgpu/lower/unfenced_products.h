/* unfenced_products.h - finds wgmma on registers that the threads have written with no wgmma.fence in between.
 *
 * A wgmma may read its fragment of A and its sums before what the threads have written there arrives, unless a wgmma.fence
 * comes after the write. The first wgmma of a kernel needs one as well. Sums that another wgmma has set need none.
 *
 * Compilers move arithmetic and constants beyond the fence that stands behind them in the source, because the text of an
 * inline assembly tells them nothing. So what is computed only of values that were there before the fence counts as
 * computed before it. Loads, shuffles and atomic operations stay where they are. A fence on one path is taken to stand where
 * it is needed.
 *
 * Source   PTX ISA 9.0, Asynchronous Warpgroup Level Matrix Instructions: wgmma.fence.  */
#ifndef SIMGPU_LOWER_UNFENCED_PRODUCTS_H
#define SIMGPU_LOWER_UNFENCED_PRODUCTS_H

#include "simgpu/lower/lowering.h"

/* ==== unwaited products =========================================================================================== */

/* Finds instructions that take the sums of a wgmma before it has been waited for.
 *
 * A wgmma sets its registers at any time until a wgmma.wait_group waits for its group. Only another wgmma that adds to the
 * same sums may take them before. What is found is so on every path that leads there: on hardware a use that comes too early
 * on one path alone is undefined as well, but a path that the code shows need not be one that a thread can take.
 *
 * Source   PTX ISA 9.0, Asynchronous Warpgroup Level Matrix Instructions: wgmma.mma_async, wgmma.wait_group. */

/* Puts a CHECK_WAITED in front of each such instruction. Registers are still virtual. */
void mark_unwaited_products(Lowering *l);

/* ==== unfenced products =========================================================================================== */

/* Puts a CHECK_FENCED in front of each such wgmma. Registers are still virtual. */
void mark_unfenced_products(Lowering *l);

#endif
