/* active.h - the lanes of a block that execute an instruction together.  */
#ifndef SIMGPU_BLOCK_ACTIVE_H
#define SIMGPU_BLOCK_ACTIVE_H

#include "simgpu/block/limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Worker Worker;

/* The lanes that execute an instruction. */
typedef struct Active {
    uint32_t bits[MAX_WARPS];
    uint32_t first, end; /* all of them lie in [first, end) */
    uint32_t count, warps;
    bool exact;    /* every lane of [first, end) is active */
    bool full;     /* every living lane of [first, end) is: results may overwrite the whole range */
    bool whole;    /* every living lane of the block is */
    uint64_t mask; /* number of the worker's mask that stands for these lanes; 0: none has yet */
} Active;

/* Recomputes everything from `bits`. */
void active_measure(Active *active, const Worker *worker);
static inline bool active_has(const Active *active, uint32_t lane)
{
    return active->bits[lane / SIM_WARP_SIZE] >> (lane % SIM_WARP_SIZE) & 1;
}
/* 1 in the lanes of [first, end) that are active, 0 in the others; valid until another Active asks. */
const uint8_t *active_mask(Worker *worker, Active *active);

#endif
