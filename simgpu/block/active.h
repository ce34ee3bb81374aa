/* active.h - the lanes of a block that execute an instruction together.  */
#ifndef SIMGPU_BLOCK_ACTIVE_H
#define SIMGPU_BLOCK_ACTIVE_H

#include "simgpu/block/worker.h"
#include "simgpu/code/code.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Worker Worker;

/* The lanes that execute an instruction. */
typedef struct Active {
    uint32_t bits[MAX_WARPS];
    uint32_t first, end; /* all active lanes lie in [first, end) */
    uint32_t count, warps;
    bool exact;    /* every lane of [first, end) is active */
    bool full;     /* every living lane of [first, end) is active: results may overwrite the whole range */
    bool whole;    /* every living lane of the block is active */
    uint64_t mask; /* number of the worker's mask for these lanes (Worker.masks); 0: none was made */
} Active;

/* Computes all other fields from `bits`. */
void active_measure(Active *active, const Worker *worker);
static inline bool active_has(const Active *active, uint32_t lane)
{
    return active->bits[lane / SIM_WARP_SIZE] >> (lane % SIM_WARP_SIZE) & 1;
}
/* The whole warps in which all active lanes lie: their first lane, and how many there are. */
static inline uint32_t active_start(const Active *active)
{
    return active->first / SIM_WARP_SIZE * SIM_WARP_SIZE;
}
static inline uint32_t active_span(const Active *active)
{
    return (active->end + SIM_WARP_SIZE - 1) / SIM_WARP_SIZE - active->first / SIM_WARP_SIZE;
}
/* [lane] 1 for active lanes, 0 for others of those warps; valid until the worker makes the mask of another Active. */
const uint8_t *active_mask(Worker *worker, Active *active);

/* ==== execute ===================================================================================================== */

/* The functions that execute instructions, each defined where its kind of instruction is at home.
 *
 * They execute the instruction in the active lanes, of which there is at least one. False where a fault ended the
 * block. */

typedef struct Worker Worker;

#define INSTRUCTION(KIND, FUNCTION, ...) bool FUNCTION(Worker *worker, const Instruction *instruction, Active *active);
#include "simgpu/code/instructions.def"
#undef INSTRUCTION

/* The lane of the block whose value a lane gets from a shuffle, of which `b` and `c` are sources[1] and [2] there. */
uint32_t shuffle_lane(const Instruction *instruction, uint32_t lane, uint32_t b, uint32_t c);

#endif
