/* worker_setup.h - makes workers, and prepares them for a block.  */
#ifndef SIMGPU_BLOCK_WORKER_SETUP_H
#define SIMGPU_BLOCK_WORKER_SETUP_H

#include "simgpu/block/worker.h"

Worker *worker_new(Launch *launch);
void worker_free(Worker *worker);
/* Prepares the registers, the memory and the counts of a block of threads. */
void worker_begin_block(Worker *worker, uint64_t block);

#endif
