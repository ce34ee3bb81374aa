/* reuse.h - which loads from global memory the L1 cache of a multiprocessor serves, which the L2, which memory.
 *
 * What the first multiprocessor would run is looked at: of the grid its first few waves of blocks. Their warps' loads
 * are noted block by block, and when the launch has ended they are played through a model of that L1, the blocks of a
 * wave taking turns, load by load: the result is the same whoever ran the blocks, and in whatever order.
 *
 * Model    lines of 128 bytes whose 32-byte sectors are fetched one by one; of all lines the one not touched for the
 *          most fetches of others goes first. What blocks and warps ask for in the same turn is on its way for all of
 *          them. Stores leave the L1 as it is. A sector comes from memory when the multiprocessor asks for it, or for
 *          its other half of 64 bytes, for the first time, and else from the L2: the multiprocessors walk through the
 *          data together, so that what all need is new to all of them. What a kernel before wrote is in the L2.
 *          Constants that all lanes read at one address: four lines of 64 bytes, the one not touched for longest goes.
 * Bounds   of a block so many sectors are noted that all together stay below TOUCHES; its rest is taken to be alike.
 * Source   constants, and 64 bytes: measured on an H200 (simgpu/calibrate, planes and cold); sectors and lines: Jia et
 *          al., Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking (2018), 3.1. Held against the misses
 *          that Nsight Compute counts (docs/measurements.md).  */
#ifndef SIMGPU_COST_REUSE_H
#define SIMGPU_COST_REUSE_H

#include "simgpu/memory/memory.h"
#include "simgpu/cost/profile.h"

enum { REUSE_WAVES = 3, TOUCHES = 1 << 20 };

/* A line that a request of a warp touches. */
typedef struct Touch {
    uint64_t line;    /* address / 128 */
    int32_t load;     /* Instruction.index */
    uint8_t sectors;  /* one bit each */
    bool is_constant; /* of a __constant__ array */
    bool begins_turn, begins_request;
} Touch;

typedef struct Trace { /* of one block */
    Touch *touches;
    size_t count, room, most;
    uint64_t missed; /* turns beyond `most` */
} Trace;

/* Of a load: parts of its warps' requests, the slowest of whose sectors come from the L2, from memory. Of constants: l2
 * is the part that the nearest cache of the uniform datapath does not hold. */
typedef struct LoadShare {
    double l2, memory;
} LoadShare;

typedef struct Reuse {
    LoadShare *loads; /* [load_count], by Instruction.index */
    double missing;   /* of the sectors that are asked for, those the L1 does not hold */
} Reuse;

typedef struct TraceSet {
    Trace *traces; /* [count] of blocks 0, multiprocessors, 2 multiprocessors, ... */
    uint64_t count, multiprocessors;
    uint32_t resident;    /* of these blocks at once */
    uint64_t cache_bytes; /* L1 beside the shared memory of these */
} TraceSet;

/* `resident` blocks at once on a multiprocessor, with `shared_bytes` of shared memory each. */
TraceSet trace_set_new(const HardwareProfile *profile, uint64_t blocks, uint32_t resident, uint64_t shared_bytes);
void trace_set_free(TraceSet *set);

/* The trace of a block; NULL: it is none of those that are looked at. */
Trace *trace_of(const TraceSet *set, uint64_t block);
/* A load by those of the lanes [first_lane, end_lane) of a block that `bits` has, `bytes` each, at address +
 * relative[lane - first_lane]; relative NULL: all at `address`. */
typedef struct TracedLoad {
    int32_t load; /* Instruction.index */
    bool is_constant;
    const uint32_t *bits;
    uint32_t first_lane, end_lane, bytes;
    uint64_t address;
    const int32_t *relative;
} TracedLoad;

void trace_load(Trace *trace, const TracedLoad *load);
/* The last of them did not happen. */
void trace_take_back(Trace *trace, uint64_t turns);

/* loads[load_count] is the result's to free. */
Reuse reuse_of(const TraceSet *set, const Memory *memory, int load_count);
void reuse_free(Reuse *reuse);

#endif
