/* grid_run.h - runs all blocks of a cooperative launch, which may wait for each other.  */
#ifndef SIMGPU_GPU_GRID_RUN_H
#define SIMGPU_GPU_GRID_RUN_H

#include "simgpu/block/worker.h"

/* Runs the blocks that the workers have begun, one each; false where a fault or a limit ended one. Blocks that wait for
 * one that never comes end with SIM_TIME_LIMIT. */
bool run_grid(Worker *const *blocks, uint64_t count);

#endif
