/* execute.h - the functions that execute instructions, each defined where its kind of instruction is at home.
 *
 * They execute the instruction in the active lanes, of which there is at least one. False where a fault ended the
 * block.  */
#ifndef SIMGPU_BLOCK_EXECUTE_H
#define SIMGPU_BLOCK_EXECUTE_H

#include "simgpu/block/active.h"
#include "simgpu/code/code.h"

typedef struct Worker Worker;

#define INSTRUCTION(KIND, FUNCTION, ...) bool FUNCTION(Worker *worker, const Instruction *instruction, Active *active);
#include "simgpu/code/instructions.def"
#undef INSTRUCTION

/* The lane of the block whose value a lane gets from a shuffle, of which `b` and `c` are sources[1] and [2] there. */
uint32_t shuffle_lane(const Instruction *instruction, uint32_t lane, uint32_t b, uint32_t c);

#endif
