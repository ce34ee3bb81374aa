/* counters.h - the counters of a launch, and their sums.  */
#ifndef SIMGPU_COST_COUNTERS_H
#define SIMGPU_COST_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct BlockLine BlockLine; /* code.h */

/* The counters that Nsight Compute would show for a launch. They are sums over all blocks, and exact: they do not
 * depend on the number of host threads. */
typedef struct SimCounters {
    uint64_t warp_instructions;
    uint64_t lane_instructions;
    uint64_t fp32, fp64, fma32, fma64, integer, control, special; /* lane-instructions by class; fp32 includes fma32 */
    uint64_t global_load_requests, global_load_sectors;           /* warp requests; 32-byte sectors that they access */
    uint64_t global_load_wavefronts;                              /* of these requests, in the L1 (pattern.h) */
    uint64_t global_store_requests, global_store_sectors;
    uint64_t global_load_bytes, global_store_bytes;        /* requested by active lanes */
    uint64_t shared_load_requests, shared_load_wavefronts; /* wavefronts - requests = bank conflicts */
    uint64_t shared_store_requests, shared_store_wavefronts;
    uint64_t local_requests, local_sectors;
    uint64_t constant_requests, constant_replays; /* replays: distinct addresses of a warp beyond the first */
    uint64_t atomic_requests, atomic_lanes;
    uint64_t texture_requests, texture_sectors; /* of arrays, a sector is 16 bytes of two rows */
    uint64_t heap_allocations;                  /* calls of malloc(), by threads */
    uint64_t slow_path_instructions; /* warp-instructions that PTX does not show: of float32 divisions, reciprocals and
                                      square roots with an operand out of the usual range, such as zero */
    uint64_t tensor;                 /* multiply-adds of matrix instructions */
    uint64_t tensor_bytes;           /* those of mma and wmma, each weighted by its time in multiply-adds of bytes */
    uint64_t warpgroup_bytes;        /* those of wgmma, likewise */
    uint64_t bulk_load_sectors,
        bulk_store_sectors;   /* 32-byte sectors that bulk copies read from, write to global memory */
    uint64_t cluster_sectors; /* that go to another block of the cluster */
    uint64_t barriers;        /* arrivals of warps */
    uint64_t divergent_branches;
    uint64_t unique_load_sectors; /* estimated footprint of all loads, for the model of DRAM traffic: sectors of each
                                      allocation from the lowest to the highest address that was loaded */
    uint64_t unique_store_sectors;
    uint64_t missing_load_sectors; /* modelled: global_load_sectors that miss the L1 (reuse.h) */
} SimCounters;

/* The counters of one source line. Instructions that the compiler moved or shared between lines count for the line that
 * the compiler names. The ideal counts are the least that the same requests would need if their bytes were
 * contiguous. */
typedef struct SimLine {
    const char *file; /* owned by the module; NULL: unknown */
    int line;
    uint64_t executions;                              /* by warps, of the instruction that was executed most often */
    uint64_t divisions;                               /* lane-instructions: integer divisions and remainders */
    uint64_t float_divisions;                         /* lane-instructions: of float32, rounded as IEEE 754 requires */
    uint64_t ideal_load_sectors, ideal_store_sectors; /* of global memory */
    uint64_t ideal_shared_wavefronts;                 /* of loads and stores */
    SimCounters counters;                             /* except the footprint, which belongs to no line */
} SimLine;

typedef struct SimWarpPath { /* of the warp that executed most instructions */
    uint64_t instructions, loads, shared_loads, constant_loads;
} SimWarpPath;

/* How often a basic block ran. */
typedef struct Executed {
    uint64_t warps, lanes; /* that executed it, summed over its executions */
} Executed;

/* The machine code that ran, as multiples of the counters of PTX; all 0 if the machine code is unknown. */
typedef struct SimMachineRatios {
    double issue;                /* instructions / warp_instructions */
    double fma;                  /* float32 operations / fp32 */
    double alu, multiply;        /* integer operations / integer; multiply: those on one half of the float32 pipe */
    double special;              /* special functions / special */
    double shared;               /* loads from shared memory / shared_load_requests; ptxas merges neighbours */
    double local, local_sectors; /* accesses to local memory, with those of spilled registers, and the 32-byte sectors
                                  * of these / warp_instructions */
    double constant, uniform;    /* loads of constants by LDC, by ULDC / constant_requests */
    double uniform_misses;       /* those by ULDC that miss whatever other warps do / constant_requests */
    double direct;         /* instructions with an element of a constant array as an operand / warp_instructions */
    uint32_t direct_bytes; /* size of all such operands */
    double waiting;        /* time from start to end of a warp / the same according to PTX */
} SimMachineRatios;

void simgpu_counters_add(SimCounters *sum, const SimCounters *part);
/* Adds the counters of the same line in another launch. */
void simgpu_line_add(SimLine *sum, const SimLine *part);
/* The difference of two counters: `now` - `before`. */
SimCounters counters_gained(const SimCounters *now, const SimCounters *before);
/* Adds the instructions that a basic block has of one line, times its executions. */
void counters_add_executed(SimCounters *sum, const BlockLine *part, const Executed *executed);

#endif
