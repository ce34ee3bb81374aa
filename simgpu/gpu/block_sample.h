/* block_sample.h - a random sample of a grid's blocks, which stands for all of them where all would take too long.
 *
 * Sample   the blocks whose loads are traced (reuse.h) and the last one run in any case. The others form strips of
 *          neighbours, and strips run in an order that is drawn from SimLaunch.sample_key, so that nobody can foresee
 *          which. The first PILOT strips show how much a strip takes. Then as many run as the limit of
 *          SimLaunch.sample_lane_instructions leaves room for, and more while the estimate is less certain than
 *          MOST_ERROR. If that would be most of the grid, all of it runs.
 * Estimate what the drawn blocks did, times the number of blocks over the number of drawn ones, plus what the blocks did
 *          that run in any case. Its uncertainty is that of the mean of the strips' instructions: Cochran, Sampling
 *          Techniques (1977), sections 2.6 (the correction for a finite population) and 9A.2 (clusters of equal size).
 * Limits   blocks must not depend on each other. A kernel that could tell others what it did, by atomic operations,
 *          fences or volatile accesses, runs whole. That a kernel reads what its other blocks have stored, and that
 *          memory which a sample has stored into is used later on, is for the caller to find out: SimReport.touched. */
#ifndef SIMGPU_GPU_BLOCK_SAMPLE_H
#define SIMGPU_GPU_BLOCK_SAMPLE_H

#include "simgpu/gpu/run.h"

bool block_sample_is_possible(const GridRun *run);
/* Runs the grid, or a sample of it, and fills in the sums, the share and the error. */
void block_sample_run(SimGpu *gpu, GridRun *run, int helpers);

#endif
