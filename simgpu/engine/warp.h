/* warp.h - instructions by which the lanes of a warp exchange values: shuffles, votes, matches, reductions.  */
#ifndef SIMGPU_ENGINE_WARP_H
#define SIMGPU_ENGINE_WARP_H

#include "simgpu/block/active.h"
#include "simgpu/code/code.h"

void execute_shuffle(Worker *worker, const Instruction *instruction, Active *active);
void execute_vote(Worker *worker, const Instruction *instruction, Active *active);
void execute_match(Worker *worker, const Instruction *instruction, Active *active);
void execute_reduce(Worker *worker, const Instruction *instruction, Active *active);

#endif
