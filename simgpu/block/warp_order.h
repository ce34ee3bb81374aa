/* warp_order.h - which warps of a block have waited for which, at barriers that only some threads reach or wait at.
 *
 * A barrier of all threads begins a new epoch of the worker, and nothing is kept of the time before it. A thread may also
 * arrive at a barrier without waiting (bar.arrive, mbarrier.arrive) or wait for some warps only. So each warp knows, of
 * each other warp, up to which of its epochs it has waited: a vector clock.
 *
 * Source   Lamport, Time, Clocks, and the Ordering of Events in a Distributed System, 1978; as used to find races:
 *          Flanagan and Freund, FastTrack: Efficient and Precise Dynamic Race Detection, 2009.  */
#ifndef SIMGPU_BLOCK_WARP_ORDER_H
#define SIMGPU_BLOCK_WARP_ORDER_H

#include "simgpu/block/active.h"
#include "simgpu/block/sanitizer_state.h"

WarpOrder *warp_order_new(void);
void warp_order_begin_block(WarpOrder *order);
/* All threads of the block have passed a barrier: what one warp knows of mbarriers, all know. */
void warp_order_barrier(WarpOrder *order);
/* Does everything that `warp` does from now on come after what `other` did in that epoch of its own? */
bool warp_order_has_waited(const Sanitizer *sanitizer, uint32_t warp, uint32_t other, uint32_t epoch);

/* The warps of `active` arrive at barrier `number` (bar.sync, bar.arrive) ... */
void warp_order_arrive(Sanitizer *sanitizer, uint32_t number, const Active *active);
/* ... and those that wait there go on, when all have arrived. */
void warp_order_go_on(Sanitizer *sanitizer, uint32_t number, const Active *active);
/* A new round of barrier `number` begins. */
void warp_order_end_round(Sanitizer *sanitizer, uint32_t number);

/* A lane arrives at the mbarrier at an offset of shared memory; `ends`: it ends the phase. */
void warp_order_arrive_at(Sanitizer *sanitizer, uint64_t offset, uint32_t lane, bool ends);
/* Another block of the cluster arrives there. */
void warp_order_arrive_far(Sanitizer *sanitizer, uint64_t offset, bool ends);
/* The end of a bulk copy arrives at the mbarrier, and ends the phase. */
void warp_order_complete_at(Sanitizer *sanitizer, uint64_t offset);
/* The number of the mbarrier, and of its present phase, from 1; false: not known, since there are too many mbarriers. */
bool warp_order_phase(Sanitizer *sanitizer, uint64_t offset, uint8_t *number, uint32_t *phase);
/* Does the warp know that this phase is over? */
bool warp_order_knows(const Sanitizer *sanitizer, uint32_t warp, uint8_t number, uint32_t phase);
/* A lane looks whether a phase of the mbarrier is over. */
void warp_order_wait_at(Sanitizer *sanitizer, uint64_t offset, uint32_t lane);

#endif
