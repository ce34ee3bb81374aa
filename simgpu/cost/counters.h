/* counters.h - the counters of a launch, and their sums.  */
#ifndef SIMGPU_COST_COUNTERS_H
#define SIMGPU_COST_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct BlockLine BlockLine; /* code.h */

/* The counters that Nsight Compute would show for a launch. They are sums over all blocks, and exact: they do not
 * depend on the number of host threads. */
typedef struct SimCounters {
#define COUNTER(NAME, UNIT) uint64_t NAME;
#include "simgpu/cost/counters.def"
} SimCounters;

/* The counters of one source line. Instructions that the compiler moved or shared between lines count for the line that
 * the compiler names. */
typedef struct SimLine {
    const char *file; /* owned by the module; NULL: unknown */
    int line;
    uint32_t live_registers; /* of PTX, in words: the most that hold values at one of its instructions */
#define LINE_COUNTER(NAME, UNIT) uint64_t NAME;
#include "simgpu/cost/counters.def"
    SimCounters counters; /* except the footprint, which belongs to no line */
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
    bool is_doubtful;      /* the lines of the machine code cannot be right; what is unknown is charged in full */
} SimMachineRatios;

/* How the blocks of a grid are divided among multiprocessors (cost.h). */
typedef struct BlockShares {
    double share;    /* fraction of all work that the busiest multiprocessor does; 0: all blocks are alike */
    double waves;    /* of the longest block, that the busiest place runs one after the other */
    double together; /* blocks on a multiprocessor at once: as many like the longest one as its work makes up */
    double staying;  /* fraction of the time of a block that its warps stay, on average; 0: all of it */
} BlockShares;

void simgpu_counters_add(SimCounters *sum, const SimCounters *part);
/* Adds the counters of the same line in another launch. */
void simgpu_line_add(SimLine *sum, const SimLine *part);
/* The difference of two counters: `now` - `before`. */
SimCounters counters_gained(const SimCounters *now, const SimCounters *before);
/* Adds the instructions that a basic block has of one line, times its executions. */
void counters_add_executed(SimCounters *sum, const BlockLine *part, const Executed *executed);

#endif
