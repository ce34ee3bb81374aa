/* special_registers.h - makes workers, and prepares them for a block.  */
#ifndef SIMGPU_BLOCK_SPECIAL_REGISTERS_H
#define SIMGPU_BLOCK_SPECIAL_REGISTERS_H

#include "simgpu/block/worker.h"
#include "simgpu/code/code.h"

#include <stdbool.h>
#include <stdint.h>

/* ==== call stack ================================================================================================== */

/* What the lanes of a block have to go back to when they return from procedures.
 *
 * Level d holds the d-th call of each lane that is so deep: where it returns to, and the registers that the caller
 * needs. A level has the layout of the register file, so that lanes which came by different calls do not meet. */

typedef struct CallLevel {
    int32_t block[MAX_THREADS];     /* that ended with the call */
    int32_t procedure[MAX_THREADS]; /* that was called */
    uint32_t frame[MAX_THREADS];    /* offset of the caller's frame in local memory */
    bool is_whole;                  /* all lanes made this call together, and `states` holds */
    uint8_t *states;                /* [slot] SlotState of the saved registers */
    unsigned char *registers;       /* as the register file */
} CallLevel;

typedef struct CallStack {
    CallLevel **levels; /* [level_count] */
    uint32_t level_count;
    uint32_t frame[MAX_THREADS]; /* offset of the current frame in local memory */
    uint32_t end[MAX_THREADS];   /* of that frame: where the next one begins */
    uint32_t used[MAX_THREADS];  /* bytes of the stack on hardware */
    uint32_t highest;            /* of `end` so far: the size of local memory */
} CallStack;

/* Level `depth`, which is made if it does not exist. */
CallLevel *call_stack_level(CallStack *stack, uint32_t depth, const Code *code, uint32_t capacity);

/* ==== worker setup ================================================================================================ */

Worker *worker_new(Launch *launch);
void worker_free(Worker *worker);
/* Prepares the registers, the memory and the counts of a block of threads. */
void worker_begin_block(Worker *worker, uint64_t block);

#endif
