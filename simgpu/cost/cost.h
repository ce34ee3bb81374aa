/* cost.h - from what a kernel did (counters) and what the hardware is like (profile) to a modelled time.
 *
 * Theory   every unit of the GPU gets the time that it would take for its own work alone; a kernel takes a little more
 *          than the slowest of them: t = launch + (sum t_i^p)^(1/p). Meant to order kernels as hardware does, not to
 *          tell microseconds. More events of one kind (instructions, sectors, wavefronts), all else being equal, never
 *          make a kernel faster. Counters are of PTX; where machine code is known, SimMachineRatios says what became of it.
 * Errors   none: counters of any size give a finite, positive time.  */
#ifndef SIMGPU_COST_COST_H
#define SIMGPU_COST_COST_H

#include "simgpu/code/function.h"
#include "simgpu/cost/counters.h"
#include "simgpu/cost/launch_shape.h"
#include "simgpu/cost/machine_code.h"

typedef struct CostInput {
    const HardwareProfile *profile;
    const SimFunctionInfo *function;
    LaunchShape shape;
    const SimCounters *counters;
    uint64_t longest_warp_instructions; /* of the warp that executed most: the critical path through one warp */
    uint64_t longest_warp_loads;        /* its global and local load requests */
    uint64_t longest_warp_shared;       /* its shared load requests */
    uint64_t longest_warp_constant;     /* its constant load requests */
    SimMachineRatios machine;           /* as cost_machine_ratios() gives it */
} CostInput;

/* Of a launch whose warps did `work`. */
SimMachineRatios cost_machine_ratios(const CostInput *input, const MachineWork *work, uint32_t direct_bytes);

enum { COST_MAX_PARTS = 16 };

typedef struct CostPart {
    const char *name;
    double seconds; /* what the unit would take for its own work alone */
} CostPart;

typedef struct Cost {
    double seconds;
    double occupancy;    /* resident warps over the most a multiprocessor holds, 0 to 1 */
    const char *limiter; /* the largest part of the time: "issue", "fma" (float32 pipe), "fp64", "integer", "tensor",
                            "special", "lsu", "texture", "l2", "dram", "constant", "latency", "blocks" (starting
                            them) or "launch" */
    CostPart parts[COST_MAX_PARTS]; /* [part_count] all but the launch */
    int part_count;
} Cost;

Cost cost_model(const CostInput *input);

/* Shapes   `shares`: one for each of `count` lines of the kernel, parts of 1: of the modelled time. What is left to 1
 *          is the launch, the start of blocks, and whatever else an empty kernel of that size would take.
 * Theory   a part's weight in the time is that of its term, t_i^p / sum t_j^p; a part is divided among the lines as the
 *          model itself says for the counters of each line alone. */
void cost_shares(const CostInput *input, const SimLine *lines, size_t count, double *shares);

/* Most resident blocks on one multiprocessor; 0: it does not fit. Source: CUDA Occupancy Calculator's rules. */
uint32_t cost_resident_blocks(const HardwareProfile *profile, const SimFunctionInfo *function, uint32_t block_threads,
                              uint32_t dynamic_shared_bytes);

#endif
