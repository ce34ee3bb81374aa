/* reuse.h - models which loads from global memory are served by the L1 cache of a multiprocessor, which by the L2, and
 * which by memory.
 *
 * The model considers the first multiprocessor, and of its blocks the first few waves. While these blocks run, their
 * loads are recorded in a trace for each block. When the launch has ended, the traces are played through a model of the
 * L1. The blocks of a wave take turns, one load each. So the result does not depend on the order in which the simulator
 * ran the blocks.
 *
 * Check    a kernel can tell which blocks these are, and spare them the misses of all others. So blocks from all over the
 *          grid, which nobody can foresee, are recorded as well. Each of them alone, with its share of the L1, must not
 *          miss far more often than those of the first multiprocessor do alone; if it does, its misses count. The same
 *          holds for each load by itself, for the blocks of the first multiprocessor may run a copy of the code of their
 *          own. In kernels whose blocks are alike, the time does not depend on which blocks were drawn.
 *
 * Model    a line has 128 bytes, and its 32-byte sectors are fetched one by one. The least recently used line is
 *          evicted. Frames of local memory, whose spilled values are loaded over and over, keep their lines; global loads
 *          have the rest. A sector that several blocks and warps load in the same turn is in flight for all of them.
 *          Warps of the block that fetches it wait for all of the fetch, and so do the other blocks of the first wave,
 *          which have started together. Each later block starts when another ends. So it joins a fetch of another block
 *          anywhere between the start and the end, and waits for half of it on average. Stores do not change the L1. A
 *          load that skips the L1 (volatile, relaxed, .cg) finds only what its own turn has fetched. A
 *          sector comes from memory if the multiprocessor loads it, or the other sector of its 64 bytes, for the first
 *          time, and else from the L2: the multiprocessors advance through the data together, so that shared data is
 *          new to all of them. Data that an earlier kernel of the call has loaded or stored may be in the L2
 *          (Allocation.l2_low). For constants that all lanes read at one
 *          address there are four lines of 64 bytes, of which the least recently used one is evicted. The blocks of a
 *          wave share them as long as they keep in step; a warp that reads more than four places in turn, such as the
 *          planes of a filter, misses on its own account.
 * Bounds   the traces of all blocks together hold at most TOUCHES sectors; the rest of a block is assumed to be alike.
 * Source   constants, and 64 bytes: measured on an H200 (simgpu/calibrate, planes and cold); sectors and lines: Jia et
 *          al., Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking (2018), 3.1. Compared with the
 *          misses that Nsight Compute counts (lab/measurements.md).  */
#ifndef SIMGPU_COST_REUSE_H
#define SIMGPU_COST_REUSE_H

#include "base/chacha20.h"
#include "simgpu/cost/hardware_profile.h"
#include "simgpu/memory/memory.h"

enum { REUSE_WAVES = 3, TOUCHES = 1 << 20, CHECKED_BLOCKS = 128 };

typedef struct Touch {    /* an access of one warp request to one line */
    uint64_t line;        /* address / 128 */
    int32_t load;         /* Instruction.index */
    uint8_t sectors;      /* one bit per sector */
    bool is_constant : 1; /* of a __constant__ array */
    bool skips_l1 : 1;    /* Instruction.skips_l1 */
    bool begins_turn : 1, begins_request : 1;
} Touch;

typedef struct Trace { /* of one block */
    Touch *touches;
    size_t count, room, most;
    uint64_t missed; /* loads that did not fit */
} Trace;

/* Fractions of the requests of a load whose slowest sector comes from the L2, from memory; those that join a fetch of
 * another block stand apart. For constants, `l2` is the fraction that misses the nearest cache of the uniform datapath, and
 * `memory` the part of it that would even if no other warp used that cache, beyond the one element in 16 with which a line
 * of 64 bytes begins. */
typedef struct LoadShare {
    double l2, memory;
    double joined_l2, joined_memory;
    bool has_run; /* a block that was looked at has executed the load */
} LoadShare;

typedef struct Reuse {
    LoadShare *loads; /* [load_count], by Instruction.index */
    double missing;   /* fraction of the requested sectors that miss the L1 */
} Reuse;

typedef struct TraceSet {
    Trace
        *traces; /* [count] of blocks 0, multiprocessors, 2 multiprocessors, ...; of a check: of one in each `range` */
    uint64_t count, multiprocessors;
    uint64_t range;                 /* of a check: blocks next to each other of which one is drawn; 0: it is no check */
    uint64_t drawn[CHECKED_BLOCKS]; /* of a check: which one in each range */
    uint32_t resident;              /* blocks on the multiprocessor at once */
    double in_step;                 /* fraction of its blocks that are of the first wave */
    uint64_t cache_bytes;           /* of the L1, without the shared memory and the frames of these blocks */
} TraceSet;

/* `resident` blocks at once on a multiprocessor, each with `shared_bytes` of shared memory and `frame_bytes` of local
 * memory of all its threads. */
TraceSet trace_set_new(const HardwareProfile *profile, uint64_t blocks, uint32_t resident, uint64_t shared_bytes,
                       uint64_t frame_bytes);
/* For the check: blocks from all over the grid, which follow from `key`; NULL: from a key of zeros. */
TraceSet trace_set_drawn(const TraceSet *set, uint64_t blocks, const Chacha20Key *key);
void trace_set_free(TraceSet *set);

/* The trace of a block; NULL: the model does not consider it. */
Trace *trace_of(const TraceSet *set, uint64_t block);
/* A load of `bytes` by each of the lanes [first_lane, end_lane) of a block whose bit is set, at address +
 * relative[lane - first_lane]; `relative` NULL: all at `address`. */
typedef struct TracedLoad {
    int32_t load; /* Instruction.index */
    bool is_constant, skips_l1;
    const uint32_t *bits;
    uint32_t first_lane, end_lane, bytes;
    uint64_t address;
    const int32_t *relative;
} TracedLoad;

void trace_load(Trace *trace, const TracedLoad *load);
/* Removes the last `turns` loads, which did not happen. */
void trace_take_back(Trace *trace, uint64_t turns);

/* loads[load_count] is the result's to free. */
Reuse reuse_of(const TraceSet *set, const Memory *memory, int load_count);
/* Tells of each sector that a block fetches, which runs alone with its share of the L1: from memory, if nobody has fetched the
 * 64 bytes around it before; else from the L2. */
typedef void FetchNote(void *context, uint64_t address, bool is_from_memory);
void reuse_fetches(const TraceSet *set, const Trace *trace, const Memory *memory, int load_count, FetchNote *note,
                   void *context);
/* Holds the result for `set` against drawn blocks; replaces it where they miss far more often. */
void reuse_check(Reuse *reuse, const TraceSet *set, const TraceSet *drawn, const Memory *memory, int load_count);
void reuse_free(Reuse *reuse);

#endif
