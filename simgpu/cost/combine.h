/* combine.h - the time of a kernel from the times that its parts would take alone.
 *
 * Theory   the units of a multiprocessor work side by side, each for other warps, so that together they take little
 *          longer than the slowest of them alone: u = (sum u_i^4)^(1/4). What starts the blocks is one of them. They
 *          work for blocks that wait first, w, and are done b = queue(u, w) - w after that (block_queue.h). The
 *          rest hides less well behind each other and behind the units: what else a warp waits for, r, behind b, and
 *          what all multiprocessors share, t_i (memory, the L2), behind all of that, with the profile's combine_power p:
 *          ((w + (b^p + r^p)^(1/p))^p + sum t_i^p)^(1/p).
 * Source   both powers were chosen by the error of half of the reference solutions at the sizes that an H200 was timed
 *          with (docs/measurements.md, "The model against the hardware").  */
#ifndef SIMGPU_COST_COMBINE_H
#define SIMGPU_COST_COMBINE_H

#include "simgpu/cost/hardware_profile.h"

#include <stdbool.h>

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

#endif
