/* access_pattern.h - one access to memory by all active lanes, and how their addresses relate.
 *
 * Every access goes through a Pattern, which the instruction's MemoryNote remembers for the next time.  */
#ifndef SIMGPU_ENGINE_ACCESS_PATTERN_H
#define SIMGPU_ENGINE_ACCESS_PATTERN_H

#include "simgpu/block/active.h"
#include "simgpu/block/memory_note.h"
#include "simgpu/code/code.h"
#include "simgpu/cost/pattern.h"

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
    MemoryNote *note;
} Access;

static inline bool access_has_lane(const Access *access, uint32_t lane)
{
    return access->bits == NULL || (access->bits[lane / SIM_WARP_SIZE] >> (lane % SIM_WARP_SIZE) & 1);
}

/* The address of one lane, with the instruction's offset. */
uint64_t access_lane_address(Worker *worker, const Instruction *instruction, uint32_t lane);
/* Fills in `first`, `pattern` and `bits`; false where the lanes' addresses lie 2 GiB or more apart. */
bool access_find_pattern(Worker *worker, Access *access, Active *active);

#endif
