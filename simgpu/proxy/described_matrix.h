/* described_matrix.h - loads fragments of the matrices in shared memory that wgmma multiplies.  */
#ifndef SIMGPU_PROXY_DESCRIBED_MATRIX_H
#define SIMGPU_PROXY_DESCRIBED_MATRIX_H

#include "simgpu/block/active.h"
#include "simgpu/code/code.h"

/* LOAD_DESCRIBED; false where a fault ended the block. The product that follows checks that whole warps execute it. */
bool execute_load_described(Worker *worker, const Instruction *instruction, const Active *active);

#endif
