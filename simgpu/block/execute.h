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

#endif
