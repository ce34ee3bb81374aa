/* worker.h - one thread of the host that runs blocks of a grid, one block at a time.
 *
 * All lanes of a block that are at the same place execute an instruction together, so that its dispatch is paid once
 * for up to 1024 lanes. Three shortcuts carry the speed:
 *   - a register that is known to be the same in all lanes is computed and kept once (SlotState);
 *   - where the lanes that run form a range without gaps, nothing is masked (Active.full, Active.exact);
 *   - the pattern of addresses of a memory instruction is remembered, and only compared the next time (Pattern).  */
#ifndef SIMGPU_BLOCK_WORKER_H
#define SIMGPU_BLOCK_WORKER_H

#include "simgpu/block/launch.h"
#include "simgpu/block/limits.h"
#include "simgpu/code/code.h"
#include "simgpu/cost/counters.h"
#include "simgpu/cost/reuse.h"

typedef struct Group Group;           /* group.h */
typedef struct MemoryNote MemoryNote; /* memory_note.h */
typedef struct Touched Touched;       /* memory_note.h */
typedef struct JitState JitState;     /* of the translator (simgpu/engine/translator.h) */

typedef struct Worker {
    Launch *launch;
    const Code *code;
    const LaneTable *lanes;
    uint32_t capacity;

    unsigned char *registers; /* see code.h */
    uint8_t *states;          /* [slot] SlotState */
    unsigned char *scratch;   /* [MAX_RESULTS][capacity] of 8 bytes: results that are masked afterwards */
    uint8_t *mask;            /* [capacity] 1 in the lanes of the Active that asked last */
    uint64_t masks;           /* so far: the number of that one */
    uint64_t *addresses;      /* [capacity] */
    unsigned char *shared;
    char *local; /* [lane][frame_stride] */
    uint32_t frame_stride;

    uint64_t block; /* number in the grid */
    uint32_t block_index[3];
    uint32_t live[MAX_WARPS]; /* lanes that have not exited */
    uint32_t live_count;
    Group *groups[MAX_THREADS];
    int group_count, spare_count;
    Group *spares[MAX_THREADS];
    uint32_t arrived[MAX_BARRIERS];  /* lanes that only arrived (bar.arrive) */
    uint32_t expected[MAX_BARRIERS]; /* threads asked for; 0: all */
    uint32_t ticks;
    uint64_t unreported; /* warp instructions not yet added to the launch's */
    uint64_t clock;      /* that was read last in this block */

    MemoryNote *notes;           /* [memory_count] */
    Executed *executed;          /* [block_count] */
    Touched *loaded, *stored;    /* [allocation] */
    JitState *jit;               /* the translator's state of this worker; NULL: all is interpreted */
    SimWarpPath path, longest;   /* the sum over the basic blocks that the block of threads went through. Where
                                         * warps take different paths, this is an upper bound of each */
    SimLine *lines;              /* [launch->lines->count]; NULL: not watched */
    SimCounters counters;        /* all but those that follow from `executed` */
    Trace *trace;                /* of this block; NULL: it is not looked at (reuse.h) */
    struct Sanitizer *sanitizer; /* sanitizer_state.h; NULL: the launch has no plan */
} Worker;

#endif
