/* cost.h - models the time of a kernel from its counters and a hardware profile.
 *
 * Theory   for every unit of the GPU, the model computes the time that the unit needs for its own work alone. A kernel
 *          takes a little longer than the slowest of them. The model is meant to order
 *          kernels as hardware does, not to predict microseconds. More events of one kind (instructions, sectors,
 *          wavefronts), all else being equal, never make a kernel faster, but for multiply-adds with the elements of a long
 *          filter in constant memory: they keep blocks together, which share what they read of it. Counters are of PTX; if the machine code is
 *          known, SimMachineRatios relates them to it.
 * Errors   none: counters of any size give a finite, positive time.  */
#ifndef SIMGPU_COST_COST_H
#define SIMGPU_COST_COST_H

#include "simgpu/code/code.h"
#include "simgpu/cost/counters.h"
#include "simgpu/cost/hardware_profile.h"
#include "simgpu/cost/launch_limits.h"
#include "simgpu/cost/machine_code.h"

#include <stdbool.h>

/* ==== block queue ================================================================================================= */

/* How long a multiprocessor takes for the blocks on it, each of which waits together and works together.
 *
 * Theory   the warps of a block begin together, so they wait for memory together, and then they all ask for the units.
 *          While a block waits, the units work for other blocks, if there are any: two blocks of 1024 threads leave them
 *          idle more often than eight of 256. So blocks are customers that take turns in waiting, all at once, and in being
 *          served, one after the other. With one block the time is that of waiting and of its work; with ever more
 *          blocks it is that of all work.
 * Source   mean value analysis: Reiser and Lavenberg, Mean-Value Analysis of Closed Multichain Queuing Networks, Journal
 *          of the ACM 27 (1980), for one kind of customer, one queue and one delay.
 * Units    any one of time.
 * Errors   none: 0 of anything takes no time. */

typedef struct BlockQueue {
    double seconds;    /* at least `work_s`, at least `wait_s`, and at most their sum */
    double wait_share; /* 0 to 1: by which fraction of a small change of `wait_s` these seconds change */
} BlockQueue;

/* `blocks` are on the multiprocessor at once, 1 or more. All of them together need `work_s` of the units; each of them
 * waits for `wait_s` before that. */
BlockQueue block_queue(double blocks, double work_s, double wait_s);

/* ==== handed out ================================================================================================== */

/* How much the busiest multiprocessor does, where the blocks of a grid are not alike.
 *
 * Theory   blocks are handed out in their order: first to the places of all multiprocessors in turn, then to the place
 *          whose block ends first. A place is what one of the resident blocks takes; a block needs it for a time in
 *          proportion to its work. So blocks that do nothing neither take work from others nor hide their waiting. All
 *          blocks begin alike, by finding out what is theirs, which is work but no access to memory: the share of either
 *          counts that is larger. What blocks take from a queue is handed out as blocks are.
 * Errors   none: blocks that are all alike have a share of 0.
 * Source   the order: Gilman et al., Demystifying the Placement Policies of the NVIDIA GPU Thread Block Scheduler for
 *          Concurrent Kernels, Performance Evaluation Review 48 (2021). */

/* What `blocks` neighbouring blocks do, or one does that has taken work. */
typedef struct BlockWork {
    double work;     /* machine instructions */
    double accesses; /* requests for memory */
    double blocks;
} BlockWork;

/* `places`: of all multiprocessors, as many as there are blocks at most. */
BlockShares block_shares_find(const BlockWork *works, size_t count, uint32_t multiprocessors, uint64_t places);

enum { TIMELINE_ROWS = 33, TIMELINE_COLUMNS = 60 };

/* The same over time, from the start of the first block to the end of the last one, for a picture: columns of equal
 * length. Of more than 65,536 blocks, neighbours count as one. */
typedef struct BlockTimeline {
    uint32_t rows, step;               /* a row for each `step`-th multiprocessor */
    uint32_t places, most_waves;       /* of all multiprocessors; blocks that a place has run, one after the other */
    double together[TIMELINE_COLUMNS]; /* blocks on all multiprocessors, the mean over the column */
    uint16_t waves[TIMELINE_ROWS][TIMELINE_COLUMNS]; /* which of its place's blocks is on the multiprocessor, from 1; of
                                                      * several the highest; 0: it has none */
} BlockTimeline;

void block_timeline_find(const BlockWork *works, size_t count, uint32_t multiprocessors, uint64_t places,
                         BlockTimeline *timeline);

/* ==== combine ===================================================================================================== */

/* The time of a kernel from the times that its parts would take alone.
 *
 * Theory   the units of a multiprocessor work side by side, each for other warps, so that together they take little
 *          longer than the slowest of them alone: u = (sum u_i^4)^(1/4). What starts the blocks is one of them. They
 *          work for blocks that wait first, w, and are done b = queue(u, w) - w after that. The
 *          rest hides less well behind each other and behind the units: what else a warp waits for, r, behind b, and
 *          what all multiprocessors share, t_i (memory, the L2), behind all of that, with the profile's combine_power p:
 *          ((w + (b^p + r^p)^(1/p))^p + sum t_i^p)^(1/p).
 * Source   both powers were chosen by the error of half of the reference solutions at the sizes that an H200 was timed
 *          with (lab/measurements.md, "The model against the hardware"). */

typedef struct CostPart {
    const char *name;
    double seconds; /* that the unit needs for its own work alone */
    bool is_unit;   /* of a multiprocessor: it works beside the others */
    double wait_s;  /* of `seconds` of the latency: in which all warps of a block wait together. Other parts: 0 */
} CostPart;

/* `blocks` are on a multiprocessor at once, 1 or more. */
double combine_seconds(const CostPart *parts, int count, double blocks, const HardwareProfile *profile);
/* weights[count]: the fraction of the time that each part stands for; their sum is 1, or 0 if all parts take no time. */
void combine_weights(const CostPart *parts, int count, double blocks, const HardwareProfile *profile, double *weights);

/* ==== cost ======================================================================================================== */

typedef struct CostInput {
    const HardwareProfile *profile;
    const SimFunctionInfo *function;
    LaunchShape shape;
    const SimCounters *counters;
    uint64_t longest_warp_instructions; /* of the warp that executed most: the critical path of one warp */
    uint64_t longest_warp_loads;        /* its global and local load requests */
    uint64_t longest_warp_shared;       /* its shared load requests */
    uint64_t longest_warp_constant;     /* its constant load requests */
    BlockShares block_shares;           /* all 0: the blocks are alike */
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
 * Theory   the weight of a part is that of its term. A part is divided among the lines in proportion
 *          to what the model gives for the counters of each line alone. */
void cost_shares(const CostInput *input, const SimLine *lines, size_t count, double *shares);

/* The blocks that one multiprocessor holds at once, 1 or more, where warps leave their places to other blocks as soon as they
 * exit: `staying` as in BlockShares. A block begins when it finds places for all of its warps. With 4 working warps of 32 an H200
 * takes a fourth of the time that two blocks at once would (conv3d, a block of 1024 threads for each row, 2026-11-28;
 * simgpu/calibrate, touches). */
double cost_blocks_together(const HardwareProfile *profile, const SimFunctionInfo *function, const LaunchShape *shape,
                            double staying);

/* The most blocks that one multiprocessor can hold at once; 0: a block does not fit.
 * Source: cuda_occupancy.h of CUDA 13.0. */
uint32_t cost_resident_blocks(const HardwareProfile *profile, const SimFunctionInfo *function, uint32_t block_threads,
                              uint32_t dynamic_shared_bytes);

#endif
