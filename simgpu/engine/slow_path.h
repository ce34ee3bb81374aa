/* slow_path.h - counts the long functions behind float32 divisions, reciprocals and square roots.
 *
 * Where these round as IEEE 754 says, ptxas makes a few instructions of them, and a call of a long function for a warp
 * as soon as one of its lanes has a very large or very small operand, such as zero. PTX does not show the call, so it
 * is counted while the kernel runs.
 *
 * Source   Which operands: for divisions, the times of all pairs of exponents on an H200; for the others, the code of
 *          ptxas 13.0, which the same measurement confirms (simgpu/calibrate, slow_paths). How many instructions:
 *          Nsight Compute on an H200, with zero in one lane. Subnormal operands, and quotients near the limits, take up
 *          to three times as many. */
#ifndef SIMGPU_ENGINE_SLOW_PATH_H
#define SIMGPU_ENGINE_SLOW_PATH_H

#include "simgpu/cost/machine_code.h"

/* Adds the work of so many instructions of the long functions (SimCounters.slow_path_instructions). */
void slow_path_add(MachineWork *sum, uint64_t instructions);

#endif
