/* slow_path.h - what float32 divisions, reciprocals and square roots take beyond their PTX.
 *
 * Hardware does those that round as IEEE 754 says in a few instructions where no operand is very large or very small,
 * and calls a long function for a warp as soon as one of its lanes holds another: zero divided by something, the square
 * root of zero. PTX does not show it, so it is counted as the lanes come by.
 *
 * Source   which operands: of a division, how long each pair of exponents takes on an H200; else ptxas 13.0's code, which
 *          the same measurement confirms (simgpu/calibrate, slow_paths). How many instructions: Nsight Compute there,
 *          zero in one lane. Subnormal operands, and quotients near the limits, take up to three times as many. */
#ifndef SIMGPU_ENGINE_SLOW_PATH_H
#define SIMGPU_ENGINE_SLOW_PATH_H

#include "simgpu/block/active.h"
#include "simgpu/code/code.h"
#include "simgpu/cost/machine_code.h"

/* Counts for each warp of `active` which of the two ways it goes. */
void slow_path_count(Worker *worker, const Instruction *instruction, const Active *active);
/* Adds the work of so many instructions (SimCounters.slow_path_instructions), between which a warp waits. */
void slow_path_add(MachineWork *sum, uint64_t instructions);

#endif
