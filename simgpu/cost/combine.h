/* combine.h - the time of a kernel from the times that its parts would take alone.
 *
 * Theory   the units of a multiprocessor work side by side, each for other warps, so that together they take little
 *          longer than the slowest of them alone: u = (sum u_i^4)^(1/4). The rest (memory, latencies, starting blocks)
 *          hides less well behind each other and behind the units, because a block loads before it computes:
 *          (u^p + sum t_i^p)^(1/p), with the profile's combine_power.
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
} CostPart;

double combine_seconds(const CostPart *parts, int count, const HardwareProfile *profile);
/* weights[count]: the fraction of the time that each part stands for; their sum is 1, or 0 if all parts take no time. */
void combine_weights(const CostPart *parts, int count, const HardwareProfile *profile, double *weights);

#endif
