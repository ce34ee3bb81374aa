/* sanitizer.h - finds races, and reads of bytes that nothing has written, while a kernel runs (SimLaunchFlags).
 *
 * sanitizer.c        decides what is checked once for a launch, and which accesses of which blocks, and hands them on;
 *                    arrivals and waits at mbarriers; which stores other blocks may rely on once they have waited; which
 *                    bytes a launch uses that is not checked (SimLaunch.footprint); what bulk copies read and write
 * thread_races.c     races among the threads of one block; indices that leave a shared variable
 * block_races.c      races among the blocks of a launch, in global memory
 * cluster_races.c    races among the blocks of a cluster, in each other's shared memory and in global memory
 * shadow_cells.c     for each few bytes of memory, which threads of the block wrote and read them last; reads that are
 *                    checked only if something changes there; which stores bulk copies and wgmma see; which threads have
 *                    waited for the kernel before (griddepcontrol)
 * warp_order.c       which warps have waited for which, at named barriers and mbarriers
 * async_copies.c     which cp.async copies, bulk copies and wgmma a thread has waited for
 * raw_finding.c      what was found at one instruction, and the sentence that says it
 *
 * A false alarm is worse than a miss, so that whatever may order two accesses is taken to do so:
 *   - a barrier of the block orders everything that its threads did before it ahead of everything that they do after
 *     it;
 *   - a barrier with a number of its own and an mbarrier order the warps that have arrived ahead of those that wait;
 *   - a .sync operation of a warp (bar.warp.sync, shfl, vote, match, redux) does the same for the lanes of the warp;
 *   - an atomic operation whose result is used, or a strong load (volatile, acquire, ...), may have waited for others.
 *     From then on the block counts as ordered after all other blocks, and until the next barrier the warp counts as
 *     ordered with all warps of its block that have done the same. This lets locks, flags and "the last block does the
 *     rest" pass. But what such a block reads, the other must have stored before a __threadfence(); and where it stores
 *     what the other has stored, one of the two must have told the other afterwards, behind such a fence;
 *   - strong accesses never race. But a strong load of shared memory that takes what a strong store of another lane of its
 *     warp has left, with no .sync operation in between, is found like a race of plain ones: which comes first is open;
 *   - nothing orders a load through the read-only cache (ld.global.nc) behind a store of the same launch.
 * Storing the value that is there already is no race. In global memory this is known only where the block itself has
 * stored the old value.
 *
 * Bounds   Of a large grid, up to DETAILED_BLOCKS blocks, the first and the last one are checked completely: one of each
 *          run of blocks of equal length, which SimLaunch.sample_key chooses, so that a kernel cannot foresee it. Of
 *          the other blocks the sanitizer sees the stores into global memory, and the loads from memory that has
 *          unwritten bytes. Races in global memory between threads of one block are looked for in CLOSE_BLOCKS of the
 *          blocks and in the last one, because most loads are from memory that nobody writes, and checking them takes
 *          long. Which bytes are written is not known of allocations beyond VALIDITY_MAX_BYTES. A launch that touches
 *          more memory than block_races.c has room for is not checked for races between blocks.
 * Sample   With SIM_SANITIZE_SAMPLE, only SAMPLED_BLOCKS blocks and both ends are looked at, and of these only what their
 *          threads do among themselves and to themselves: what other blocks have written is not known.
 *          Of a cooperative launch loads through the read-only cache are checked, and in the blocks that are checked
 *          completely, what the threads do in shared memory.
 * Skipped  Loads from memory that is completely written and that the launch cannot change are not checked. What it may
 *          change follows from the parameters from which its stores take their addresses (value_flow.c). A store that
 *          strays from its parameter's allocation into another one causes no findings for loads from there.
 * Cells    Memory is tracked in cells as large as the kernel's smallest store, at most 4 bytes: smaller ones could not
 *          tell two stores apart.  */
#ifndef SIMGPU_BLOCK_SANITIZER_H
#define SIMGPU_BLOCK_SANITIZER_H

#include "simgpu/block/active.h"
#include "simgpu/block/sanitizer_state.h"
#include "simgpu/code/code.h"
#include "simgpu/cost/pattern.h"

/* ==== steps ======================================================================================================= */

/* Notes in a footprint (simgpu/memory/footprint.h) which bytes of global memory a launch uses. */

/* A bulk copy reads; stores the bytes at `values`, or combines them with what is there. */
void steps_bulk_load(const Worker *worker, uint64_t address, uint32_t bytes);
void steps_bulk_store(const Worker *worker, const Instruction *copy, uint64_t address, const unsigned char *values,
                      uint32_t bytes);

/* ==== sanitizer =================================================================================================== */

typedef struct Sanitizer Sanitizer;
typedef struct Worker Worker;

/* NULL where the launch has no plan. */
Sanitizer *sanitizer_new(const Worker *worker);
void sanitizer_free(Sanitizer *sanitizer);

/* All functions below are called only where worker->sanitizer is not NULL, and before the access is carried out. */
/* False where nothing that this block does is checked. */
bool sanitizer_begin_block(Worker *worker);
void sanitizer_end_block(Worker *worker);
/* All threads of the block have passed a barrier. */
void sanitizer_barrier(Sanitizer *sanitizer);
/* The barrier of the block's cluster opens. */
void sanitizer_cluster_barrier(Worker *worker);
/* The active lanes of each warp have passed a .sync operation. */
void sanitizer_sync_warps(Sanitizer *sanitizer, const Active *active);
/* An access that is allowed. The active lanes' addresses are those of the pattern, from `first` on: offsets in the
 * window where the space has one. */
void sanitizer_access(Worker *worker, const Instruction *instruction, PtxSpace space, bool is_store,
                      const Active *active, uint64_t first, const Pattern *pattern, uint32_t bytes);
/* The same, for a load of one address by all lanes. */
void sanitizer_uniform_load(Worker *worker, const Instruction *instruction, const Active *active, uint64_t address,
                            uint32_t bytes);
/* A texture fetch reads a texel. */
void sanitizer_fetch(const Worker *worker, uint64_t address, uint32_t bytes);
/* A matrix load of the warp reads a row of shared memory, whose address the lane has given. */
void sanitizer_load_row(Worker *worker, const Instruction *instruction, uint32_t lane, uint64_t offset, uint32_t bytes);
/* A wgmma reads shared memory, until it has been waited for. */
void sanitizer_product_reads(Worker *worker, const Instruction *load, uint32_t lane, uint64_t offset, uint32_t bytes);
/* A matrix store writes the bytes at `values` into shared memory. */
void sanitizer_store_row(Worker *worker, const Instruction *instruction, uint32_t lane, uint64_t offset,
                         const unsigned char *values, uint32_t bytes);
void sanitizer_atomic(Worker *worker, const Instruction *instruction, bool in_shared, uint32_t lane, uint64_t address);
/* The same in the shared memory of `owner`, another block of the cluster. */
void sanitizer_far_atomic(Worker *worker, Worker *owner, const Instruction *instruction, uint32_t lane,
                          uint64_t offset);
/* `lane` of the block takes the value of lane `source` of its warp, which takes no part in the shuffle. */
void sanitizer_shuffle(Worker *worker, const Instruction *instruction, uint32_t lane, uint32_t source);
/* A call has written arguments or results into a lane's local memory; a call has begun a new frame there. */
void sanitizer_local_written(Worker *worker, uint32_t lane, uint64_t offset, uint64_t bytes);
void sanitizer_local_forgotten(Worker *worker, uint32_t lane, uint64_t offset, uint64_t bytes);

/* ==== sanitizer plan ============================================================================================== */

/* What the sanitizer decides once for a launch. */

/* NULL where the launch asks for no checks, or where the kernel does what the sanitizer cannot follow. */
SanitizerPlan *sanitizer_plan_new(const Launch *launch);
/* Whether a block is one of those that are checked completely. */
bool sanitizer_details(const Launch *launch, uint64_t block);
void sanitizer_plan_free(SanitizerPlan *plan);

/* ==== bulk accesses =============================================================================================== */

/* Tells the sanitizer what bulk copies read and write: where one begins, and where it arrives at its
 * mbarrier.
 *
 * A bulk copy reads and writes at any time between its beginning and its end. A thread may use what it has copied into
 * shared memory once the thread has waited for the phase of the mbarrier that the copy ends, or for somebody who has. It
 * may change what the copy reads there once the thread that began the copy has waited for its group, and the others for
 * that thread.
 *
 * Source   PTX ISA 9.0, Data Movement and Conversion Instructions: cp.async.bulk, cp.async.bulk.wait_group. */

/* All are called only where worker->sanitizer is not NULL, for accesses that are allowed. A copy of `lane` reads global
 * memory; stores the bytes at `values` there, or combines them with what is there (Instruction.count). */
void bulk_reads_global(Worker *worker, const Instruction *copy, uint32_t lane, uint64_t address, uint32_t bytes);
void bulk_writes_global(Worker *worker, const Instruction *copy, uint32_t lane, uint64_t address,
                        const unsigned char *values, uint32_t bytes);
/* It reads shared memory of the block, and belongs to a group of its thread; or fills it, and arrives at an mbarrier. */
void bulk_reads_shared(Worker *worker, const Instruction *copy, uint32_t lane, uint64_t offset, uint32_t bytes);
void bulk_writes_shared(Worker *worker, const Instruction *copy, uint32_t lane, uint64_t offset, uint32_t bytes,
                        uint64_t mbarrier);
/* It fills shared memory of `owner`, another block of the cluster. */
void bulk_writes_far(Worker *owner, uint64_t offset, uint32_t bytes);
/* It has ended a phase of the mbarrier at an offset of `owner`'s shared memory. */
void bulk_ends_phase(const Worker *worker, Worker *owner, uint64_t mbarrier);

#endif
