/* async_copies.h - which of its cp.async copies, of its bulk copies from shared memory, and of its wgmma each lane has
 * waited for.  */
#ifndef SIMGPU_BLOCK_ASYNC_COPIES_H
#define SIMGPU_BLOCK_ASYNC_COPIES_H

#include "simgpu/block/active.h"
#include "simgpu/block/sanitizer_state.h"
#include "simgpu/block/shadow_cells.h"

/* [lane], to be freed with free(); NULL where the kernel has no instruction of that kind: COPY_ASYNC, BULK_COPY, or
 * LOAD_WGMMA_TILE for wgmma. */
LaneCopies *async_copies_new(const Worker *worker, InstructionKind kind);
void async_copies_begin_block(const Worker *worker);
/* BULK_COMMIT, BULK_WAIT: the lanes' bulk copies become a group; the lanes wait for groups. */
void async_copies_bulk_group(Worker *worker, const Instruction *instruction, const Active *active);
/* The end of the copies that the lane has begun so far will arrive at an mbarrier. */
void async_copies_signal(Sanitizer *sanitizer, uint32_t lane);
/* The group, from 1, that a copy by this lane now belongs to. */
uint32_t async_copies_group(const LaneCopies *copies, uint32_t lane);
/* May `lane` rely on what the cell's writer has copied into it? */
bool async_copies_have_arrived(const Sanitizer *sanitizer, const ShadowCell *cell, uint32_t lane);
/* May `lane` change the cell, which a bulk copy or a wgmma reads? */
bool async_copies_have_read(const Sanitizer *sanitizer, const ShadowCell *cell, uint32_t lane);

#endif
