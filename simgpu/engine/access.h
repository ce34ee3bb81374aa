/* access.h - loads and stores of all state spaces, each checked to the byte.  */
#ifndef SIMGPU_ENGINE_ACCESS_H
#define SIMGPU_ENGINE_ACCESS_H

#include "simgpu/block/active.h"
#include "simgpu/block/worker.h"
#include "simgpu/code/code.h"
#include "simgpu/cost/pattern.h"

/* ==== access pattern ============================================================================================== */

/* One access to memory by all active lanes, and how their addresses relate.
 *
 * Every access goes through a Pattern, which the instruction's AllocationCache remembers for the next time. */

typedef struct Access {
    const Instruction *instruction;
    bool is_store;
    PtxSpace space;
    uint32_t bytes;      /* of one lane, all elements */
    uint32_t used_bytes; /* how many of them, from the first on, must lie in memory: the others are not used */
    uint64_t first;      /* address of the first active lane; in a window: its offset there */
    Pattern *pattern;
    const uint32_t *bits; /* the active lanes; NULL: all lanes of the pattern */
    char *host;           /* where `first` lies in the host's memory */
    AllocationCache *note;
} Access;

/* The address of one lane, with the instruction's offset. */
uint64_t access_lane_address(const Worker *worker, const Instruction *instruction, uint32_t lane);

static inline bool access_has_lane(const Access *access, uint32_t lane)
{
    return access->bits == NULL || (access->bits[lane / SIM_WARP_SIZE] >> (lane % SIM_WARP_SIZE) & 1);
}

/* ==== access count ================================================================================================ */

/* Counts what an access takes on hardware. */

/* Notes a load of the active lanes from global or constant memory for the model of the caches (simgpu/cost/reuse.h),
 * where the worker's block is one of those that the model follows. Addresses as in TracedLoad. */
void access_trace_load(Worker *worker, const Instruction *instruction, const Active *active, uint64_t first,
                       const int32_t *relative, uint32_t bytes);
/* Mean bytes requested per lane; 0: the instruction accesses no memory. */
uint32_t access_bytes_of_lane(const Instruction *instruction);

/* ==== access ====================================================================================================== */

/* Checks and counts an access to one space as a load or store would do, of `count` elements of `size` at sources[0] +
 * offset, but moves no data. Only the first `used_bytes` of a lane need exist. False where a fault ended the block. */
bool check_access(Worker *worker, const Instruction *instruction, Active *active, bool is_store, uint32_t used_bytes);

#endif
