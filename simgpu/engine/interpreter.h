/* interpreter.h - runs a block of threads, one basic block after the other.  */
#ifndef SIMGPU_ENGINE_INTERPRETER_H
#define SIMGPU_ENGINE_INTERPRETER_H

#include "simgpu/block/group.h"
#include "simgpu/code/code.h"

/* False where a fault ended the block. */
bool run_block(Worker *worker);
/* Where its guard holds. */
bool execute_instruction(Worker *worker, const Instruction *instruction, Active *active);
/* A basic block has begun `times` times; the group has branched backward. False where the launch must end. */
void count_block(Worker *worker, const BasicBlock *block, const Active *active, uint64_t times);
bool count_turns(Worker *worker, Group *group, uint32_t turns);

#endif
