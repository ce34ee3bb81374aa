/* thread_races.h - races among the threads of one block, in shared or in global memory.  */
#ifndef SIMGPU_BLOCK_THREAD_RACES_H
#define SIMGPU_BLOCK_THREAD_RACES_H

#include "simgpu/block/sanitizer_state.h"

void thread_races_read(Worker *worker, const Instruction *instruction, bool is_shared, uint32_t lane, uint64_t address,
                       uint32_t bytes);
void thread_races_write(Worker *worker, const Instruction *instruction, bool is_shared, uint32_t lane, uint64_t address,
                        uint32_t bytes);
/* A store into shared memory of the bytes at `values`. */
void thread_races_store(Worker *worker, const Instruction *instruction, uint32_t lane, uint64_t offset, uint32_t bytes,
                        const unsigned char *values);
/* A bulk copy of a lane reads global memory. */
void thread_races_take_global(Worker *worker, const Instruction *reader, uint32_t lane, uint64_t address,
                              uint32_t bytes);
/* A bulk copy or a wgmma of a lane begins to read shared memory; a bulk copy begins to fill it, and will arrive at the
 * mbarrier at an offset. */
void thread_races_take(Worker *worker, const Instruction *reader, uint32_t lane, uint64_t offset, uint32_t bytes);
void thread_races_fill(Worker *worker, const Instruction *copy, uint32_t lane, uint64_t offset, uint32_t bytes,
                       uint64_t mbarrier);
void thread_races_atomic(Worker *worker, const Instruction *instruction, bool is_shared, uint32_t lane,
                         uint64_t address);

/* An operation on the mbarrier at an offset of shared memory: it races with the store that initialises it, and with
 * nothing else. */
void thread_races_mbarrier(Worker *worker, const Instruction *instruction, uint32_t lane, uint64_t offset);

#endif
