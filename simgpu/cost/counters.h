/* counters.h - what a launch did, in numbers of events, and their sums.  */
#ifndef SIMGPU_COST_COUNTERS_H
#define SIMGPU_COST_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct BlockLine BlockLine; /* code.h */

/* What Nsight Compute would count. Per launch, summed over all blocks; exact, independent of `threads`. */
typedef struct SimCounters {
    uint64_t warp_instructions;
    uint64_t lane_instructions;
    uint64_t fp32, fp64, fma32, fma64, integer, control, special; /* lane-instructions by class; fma is part of fp */
    uint64_t global_load_requests, global_load_sectors;           /* warp requests, 32-byte sectors they touch */
    uint64_t global_load_wavefronts;                              /* cycles of the L1 for those (pattern.h) */
    uint64_t global_store_requests, global_store_sectors;
    uint64_t global_load_bytes, global_store_bytes;        /* asked for by active lanes */
    uint64_t shared_load_requests, shared_load_wavefronts; /* wavefronts - requests = bank conflicts */
    uint64_t shared_store_requests, shared_store_wavefronts;
    uint64_t local_requests, local_sectors;
    uint64_t constant_requests, constant_replays; /* replays: further distinct addresses in one warp */
    uint64_t atomic_requests, atomic_lanes;
    uint64_t texture_requests, texture_sectors; /* of arrays: 16 bytes of two rows are a sector */
    uint64_t slow_path_instructions; /* of warps, which PTX does not show: of divisions, reciprocals and square roots of
                                      float32 with an operand out of the usual range, such as zero */
    uint64_t tensor;                 /* multiply-adds of matrix instructions */
    uint64_t tensor_bytes;           /* the same, each counted as often as multiply-adds of bytes take its time */
    uint64_t barriers;               /* warps arriving */
    uint64_t divergent_branches;
    uint64_t unique_load_sectors; /* an estimate of the footprint read: sectors of the allocations between the lowest
                                      and the highest address read, for the model of DRAM traffic */
    uint64_t unique_store_sectors;
    uint64_t missing_load_sectors; /* of global_load_sectors, those that the L1 does not hold: a model (reuse.h) */
} SimCounters;

/* What the instructions of one source line did. Those that a compiler moved or shared between lines count where the
 * compiler says. An ideal is what the same requests would take at least, were the bytes they ask for side by side. */
typedef struct SimLine {
    const char *file; /* NULL: not known; the module's */
    int line;
    uint64_t executions; /* by warps, of that of its instructions which was executed most often */
    uint64_t divisions;  /* lane-instructions: integer divisions and remainders */
    uint64_t ideal_load_sectors, ideal_store_sectors; /* of global memory */
    uint64_t ideal_shared_wavefronts;                 /* of loads and stores */
    SimCounters counters;                             /* without the footprint, which has no line */
} SimLine;

typedef struct SimWarpPath { /* of the warp that did most: the longest way through one block of threads */
    uint64_t instructions, loads, shared_loads, constant_loads;
} SimWarpPath;

/* How often a basic block ran. */
typedef struct Executed {
    uint64_t warps, lanes; /* that ran it, summed over its executions */
} Executed;

/* What ptxas made of the PTX that ran, as multiples of what was counted; all 0 where the machine code is not known. */
typedef struct SimMachineRatios {
    double issue;             /* instructions, of warp_instructions */
    double fma;               /* float32 operations, of fp32 */
    double alu, multiply;     /* integer operations; those on the float32 pipe's half that multiplies: of integer */
    double special;           /* of special */
    double shared;            /* loads from shared memory, of shared_load_requests: ptxas merges neighbours */
    double constant, uniform; /* loads of constants (LDC; ULDC), of constant_requests */
    double direct;            /* instructions with a constant of an array as an operand, of warp_instructions */
    uint32_t direct_bytes;    /* of such operands */
    double waiting;           /* from start to end of a warp, of what PTX alone would lead to expect */
} SimMachineRatios;

void simgpu_counters_add(SimCounters *sum, const SimCounters *part);
/* Of the same line in another launch. */
void simgpu_line_add(SimLine *sum, const SimLine *part);
/* What was gained since the counters were `before`. */
SimCounters counters_gained(const SimCounters *now, const SimCounters *before);
/* The instructions that a basic block holds of one line, as often as the block ran. */
void counters_add_executed(SimCounters *sum, const BlockLine *part, const Executed *executed);

#endif
