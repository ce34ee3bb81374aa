/* block_races.h - races among the blocks of a launch, in global memory.  */
#ifndef SIMGPU_BLOCK_BLOCK_RACES_H
#define SIMGPU_BLOCK_BLOCK_RACES_H

#include "simgpu/block/raw_finding.h"
#include "simgpu/block/sanitizer_state.h"

/* NULL where there is no memory for it. */
BlockShadow *block_shadow_new(const Launch *launch, uint8_t cell_log);
void block_shadow_free(BlockShadow *shadow);
void block_races_read(Worker *worker, const Instruction *instruction, uint32_t lane, int allocation, uint64_t address,
                      uint32_t bytes);
/* `values`: what is stored; NULL: what the store's registers hold. */
void block_races_write(Worker *worker, const Instruction *instruction, uint32_t lane, int allocation, uint64_t address,
                       uint32_t bytes, const unsigned char *values);
/* May the block have waited for another one? */
bool block_races_is_late(const Worker *worker);
/* A store of this block, `was_late` then, on which other blocks may not rely, even if they have waited for it. */
void block_races_unpublished(Worker *worker, const Instruction *store, bool was_late, uint32_t lane, int allocation,
                             uint64_t address, uint32_t bytes);
void block_races_atomic(Worker *worker, const Instruction *instruction, uint32_t lane, int allocation, uint64_t address,
                        uint32_t bytes);
/* When the launch has ended: adds the races in [low, high) of an allocation to `found`. */
void block_races_find(const Launch *launch, int allocation, uint64_t low, uint64_t high, RawFinding *found);

#endif
