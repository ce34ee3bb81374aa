/* cost.h - models the time of a kernel from its counters and a hardware profile.
 *
 * Theory   for every unit of the GPU, the model computes the time that the unit needs for its own work alone. A kernel
 *          takes a little longer than the slowest of them (combine.h). The model is meant to order
 *          kernels as hardware does, not to predict microseconds. More events of one kind (instructions, sectors,
 *          wavefronts), all else being equal, never make a kernel faster, but for multiply-adds with the elements of a long
 *          filter in constant memory: they keep blocks together, which share what they read of it. Counters are of PTX; if the machine code is
 *          known, SimMachineRatios relates them to it.
 * Errors   none: counters of any size give a finite, positive time.  */
#ifndef SIMGPU_COST_COST_H
#define SIMGPU_COST_COST_H

#include "simgpu/code/function.h"
#include "simgpu/cost/combine.h"
#include "simgpu/cost/counters.h"
#include "simgpu/cost/launch_shape.h"
#include "simgpu/cost/machine_code.h"

typedef struct CostInput {
    const HardwareProfile *profile;
    const SimFunctionInfo *function;
    LaunchShape shape;
    const SimCounters *counters;
    uint64_t longest_warp_instructions; /* of the warp that executed most: the critical path of one warp */
    uint64_t longest_warp_loads;        /* its global and local load requests */
    uint64_t longest_warp_shared;       /* its shared load requests */
    uint64_t longest_warp_constant;     /* its constant load requests */
    SimMachineRatios machine;           /* from cost_machine_ratios(); all 0: the machine code is unknown */
} CostInput;

/* The ratios for a launch whose warps did `work`. */
SimMachineRatios cost_machine_ratios(const CostInput *input, const MachineWork *work, uint32_t direct_bytes);

/* Which level of memory serves loads from local memory: the frames of all threads that run together may be larger than
 * the L1, and those of all multiprocessors larger than the L2. */
LoadShare cost_local_share(const CostInput *input);

enum { COST_MAX_PARTS = 16 };

typedef struct Cost {
    double seconds;
    double occupancy;    /* resident warps divided by the most that a multiprocessor can hold, 0 to 1 */
    const char *limiter; /* the largest part of the time: "issue", "fma" (float32 pipe), "fp64", "integer", "tensor",
                            "special", "lsu", "texture", "heap", "l2", "dram", "constant", "latency", "blocks" (starting
                            them) or "launch" */
    CostPart parts[COST_MAX_PARTS]; /* [part_count] all parts except the launch */
    int part_count;
    double blocks_together; /* on a multiprocessor at once, 1 or more */
} Cost;

Cost cost_model(const CostInput *input);

/* Divides the modelled time of a kernel among its source lines.
 *
 * Shapes   `shares`: for each of `count` lines its fraction of the modelled time. The fractions do not add up to 1: the
 *          rest is the time of an empty kernel of that size (launch, start of blocks).
 * Theory   the weight of a part is that of its term (combine.h). A part is divided among the lines in proportion
 *          to what the model gives for the counters of each line alone. */
void cost_shares(const CostInput *input, const SimLine *lines, size_t count, double *shares);

/* The most blocks that one multiprocessor can hold at once; 0: a block does not fit.
 * Source: cuda_occupancy.h of CUDA 13.0. */
uint32_t cost_resident_blocks(const HardwareProfile *profile, const SimFunctionInfo *function, uint32_t block_threads,
                              uint32_t dynamic_shared_bytes);

#endif
