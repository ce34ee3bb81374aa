/* clock.h - the clock that kernels read (%clock64, %globaltimer).  */
#ifndef SIMGPU_BLOCK_CLOCK_H
#define SIMGPU_BLOCK_CLOCK_H

#include "simgpu/block/active.h"
#include "simgpu/block/worker.h"

/* The clock starts with the block of threads, and grows with each reading. It does not depend on which worker runs the
 * block. Kernels that read it are not translated, because a translation counts basic blocks only afterwards. */
void execute_clock(Worker *worker, const Instruction *instruction, Active *active);

#endif
