/* interpreter.h - runs a block of threads, one basic block after the other.  */
#ifndef SIMGPU_ENGINE_INTERPRETER_H
#define SIMGPU_ENGINE_INTERPRETER_H

#include "simgpu/block/group.h"
#include "simgpu/code/code.h"

/* Runs the block of threads that the worker has begun; false where a fault or a limit ended it. */
bool run_block(Worker *worker);
/* The parts of it, for the blocks of a cluster: makes one group of all threads; runs one group until another may be due;
 * adds what the worker executed to the launch's sum, false where the launch must end. */
void groups_begin(Worker *worker);
bool group_run(Worker *worker, Group *group);
bool may_go_on(Worker *worker);
/* Executes an instruction in those of the active lanes in which its guard holds. False where a fault ended the
 * block. */
bool execute_instruction(Worker *worker, const Instruction *instruction, Active *active);
/* Counts that a basic block has begun `times` times. */
void count_block(Worker *worker, const BasicBlock *block, const Active *active, uint64_t times);
/* Counts that the group has branched backward so many times. False where the launch must end. */
bool count_backward_branches(Worker *worker, Group *group, uint32_t branches);

#endif
