/* sanitizer_state.h - the sanitizer's state: of a launch (SanitizerPlan), and of a worker (Sanitizer).
 *
 * Time is counted in epochs. An epoch of a worker ends at each barrier of the block, and when a block begins; an epoch
 * of a warp ends at each of its .sync operations. Two accesses of different warps in one epoch of the worker are
 * unordered, and so are two of different lanes of a warp in one epoch of the warp.  */
#ifndef SIMGPU_BLOCK_SANITIZER_STATE_H
#define SIMGPU_BLOCK_SANITIZER_STATE_H

#include "simgpu/block/worker.h"

enum {
    DETAILED_BLOCKS = 128,
    CLOSE_BLOCKS = 16,
    SAMPLED_BLOCKS = 16,
    MAX_CELL_LOG = 2 /* logarithm of the bytes of the largest cell */
};

typedef struct BlockShadow BlockShadow;     /* block_races.c */
typedef struct ClusterGlobal ClusterGlobal; /* cluster_races.c */
typedef struct ClusterRaces ClusterRaces;   /* cluster_races.c */
typedef struct DeferredReads DeferredReads; /* shadow_cells.c */
typedef struct LaneCopies LaneCopies;       /* async_copies.c */
typedef struct RawFinding RawFinding;       /* raw_finding.h */
typedef struct ShadowCells ShadowCells;     /* shadow_cells.c */
typedef struct ProxyFences ProxyFences;     /* shadow_cells.c */
typedef struct Publication Publication;     /* sanitizer.c */
typedef struct WarpOrder WarpOrder;         /* warp_order.c */

typedef struct GridWait {       /* of a block (shadow_cells.h) */
    uint32_t waited[MAX_WARPS]; /* [warp] the lanes that have waited for the kernel before */
    bool has_waited;            /* some thread has */
    bool has_released;          /* some thread has let the next kernel begin */
} GridWait;

typedef struct SanitizerPlan {
    uint32_t flags;                           /* SimLaunchFlags */
    bool is_sample;                           /* all blocks but a few run unchecked */
    uint64_t stride;                          /* one of so many blocks that follow each other is checked in detail: */
    uint64_t *detailed;                       /* [block / stride] */
    uint64_t close_stride;                    /* one of so many blocks is searched for its threads' races in global
                                              * memory: a multiple of `stride` */
    const Chacha20Key *sample_key;            /* SimLaunch.sample_key */
    uint8_t shared_cell_log, global_cell_log; /* logarithm of the bytes of a cell */
    bool has_shared_compare, has_global_compare; /* the kernel has compare-and-swap there, and loops around such an
                                                  * operation begin with a plain load */
    bool *may_change;            /* [allocation] the launch may store into it; loads from others cannot race */
    struct Footprint *footprint; /* SimLaunch.footprint; NULL: the launch is checked */
    BlockShadow *block_shadow;   /* of global memory; NULL: races between blocks are not looked for */
} SanitizerPlan;

typedef struct Sanitizer {
    const SanitizerPlan *plan;
    bool is_detailed;               /* everything that this block does is checked */
    bool is_close;                  /* and the races of its threads in global memory as well */
    bool is_ordered;                /* this block counts as ordered after all others, for which it may have waited */
    const Instruction *poll;        /* the strong load that made it so; NULL: none */
    uint32_t first_epoch, epoch;    /* of the worker: when this block began, and now */
    uint32_t warp_epoch[MAX_WARPS]; /* of each warp */
    uint32_t ordered_in[MAX_WARPS]; /* epoch in which the warp may have waited for other warps */
    uint32_t store;                 /* number of the store that is being executed */
    uint32_t waited_epoch;          /* last epoch in which some warp may have waited for other warps or blocks */
    uint32_t changed_epoch;         /* last epoch in which shared memory was changed */
    DeferredReads *deferred;
    WarpOrder *order;
    Publication *publication; /* NULL: blocks cannot wait for each other */
    ShadowCells *cells;
    ClusterRaces *cluster;         /* NULL: no block looks into another one's shared memory */
    ClusterGlobal *cluster_global; /* of rank 0; NULL: its cluster has not used global memory so far */
    LaneCopies *copies;            /* [lane] by cp.async; NULL: the kernel has none */
    LaneCopies *bulk_copies;       /* [lane] in bulk; NULL: the kernel has none */
    LaneCopies *products;          /* [lane] wgmma; NULL: the kernel has none */
    ProxyFences *fences;
    GridWait grid_wait;
    uint8_t *local;     /* [lane][frame_stride] `generation` where the block has written; NULL: no local memory */
    uint8_t generation; /* of the block */
    RawFinding *found;  /* [memory_count][SIM_FINDING_KINDS] */
} Sanitizer;

/* A lane of the warp has done what may have waited for others. */
static inline void note_wait(Sanitizer *sanitizer, uint32_t warp)
{
    sanitizer->ordered_in[warp] = sanitizer->waited_epoch = sanitizer->epoch;
}

/* May the result tell the block what others have done? Sums of floats are only for adding up. */
static inline bool tells_of_others(const Instruction *atomic)
{
    return atomic->uses_result && atomic->detail != ATOMIC_FLOAT_ADD && atomic->detail != ATOMIC_F16_ADD &&
           atomic->detail != ATOMIC_BF16_ADD;
}

#endif
