/* cost.h - from what a kernel did (counters) and what the hardware is like (profile) to a modelled time.
 *
 * Theory   every unit of the GPU gets the time that it would take for its own work alone; a kernel takes a little more
 *          than the slowest of them: t = launch + (sum t_i^p)^(1/p). Meant to order kernels as hardware does, not to
 *          tell microseconds. More events of one kind (instructions, sectors, wavefronts), all else being equal, never
 *          make a kernel faster.
 * Errors   none: counters of any size give a finite, positive time.  */
#ifndef SIMGPU_COST_H
#define SIMGPU_COST_H

#include "simgpu/simgpu.h"

typedef struct CostInput {
    const SimProfile *profile;
    const SimFunctionInfo *function;
    uint32_t grid[3], block[3], dynamic_shared_bytes;
    const SimCounters *counters;
    uint64_t longest_warp_instructions; /* of the warp that executed most: the critical path through one warp */
    uint64_t longest_warp_loads;        /* its global and local load requests */
    uint64_t longest_warp_shared;       /* its shared load requests */
    uint64_t longest_warp_constant;     /* its constant load requests */
} CostInput;

typedef struct Cost {
    double seconds;
    double occupancy;    /* resident warps over the most a multiprocessor holds, 0 to 1 */
    const char *limiter; /* the largest part of the time: "issue", "fma" (float32 pipe), "fp64", "integer", "special",
                            "lsu", "texture", "l2", "dram", "constant", "latency", "blocks" (starting them) or "launch" */
} Cost;

Cost cost_model(const CostInput *input);

/* Most resident blocks on one multiprocessor; 0: it does not fit. Source: CUDA Occupancy Calculator's rules. */
uint32_t cost_resident_blocks(const SimProfile *profile, const SimFunctionInfo *function, uint32_t block_threads,
                              uint32_t dynamic_shared_bytes);

#endif
