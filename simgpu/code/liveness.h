/* liveness.h - which registers hold a value that is still needed where a basic block begins and ends.
 *
 * Registers are numbered by Operand.slot: these are virtual registers while a kernel is lowered, and slots afterwards.
 * Lanes may be at different places, but each has its own part of every register, so that looking at one lane's path is
 * enough.  */
#ifndef SIMGPU_CODE_LIVENESS_H
#define SIMGPU_CODE_LIVENESS_H

#include "simgpu/code/code.h"

/* Sets of registers: one bit each. */
typedef struct Liveness {
    size_t words;      /* of 64 bits, in one set */
    uint64_t *live_in; /* [block][words] what the block or one after it reads before it is written */
} Liveness;

/* Covers registers 0 to register_count - 1, in the arena. False where the sets would take more than 256 MiB each. */
bool liveness_find(const Code *code, uint32_t register_count, Arena *arena, Liveness *liveness);
static inline const uint64_t *liveness_in(const Liveness *liveness, int block)
{
    return liveness->live_in + (size_t)block * liveness->words;
}
/* What any successor of the block needs. */
void liveness_out(const Liveness *liveness, const Code *code, int block, uint64_t *out);

static inline bool set_has(const uint64_t *set, uint32_t number)
{
    return set[number / 64] >> (number % 64) & 1;
}

#endif
