/* access.h - loads and stores of all state spaces, each checked to the byte.  */
#ifndef SIMGPU_ENGINE_ACCESS_H
#define SIMGPU_ENGINE_ACCESS_H

#include "simgpu/block/active.h"
#include "simgpu/code/code.h"

/* Checks and counts an access to one space as a load or store would do, of `count` elements of `size` at sources[0] +
 * offset, but moves no data. Only the first `used_bytes` of a lane need exist. False where a fault ended the block. */
bool check_access(Worker *worker, const Instruction *instruction, Active *active, bool is_store, uint32_t used_bytes);

#endif
