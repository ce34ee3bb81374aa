/* basic_block.h - the basic block that is being filled, and the counts of what it does.  */
#ifndef SIMGPU_LOWER_EMIT_BASIC_BLOCK_H
#define SIMGPU_LOWER_EMIT_BASIC_BLOCK_H

#include "simgpu/lower/emit/lowering.h"

/* Ends the current block, which falls through unless it has another end already, and begins the next one. */
int new_block(Lowering *l);
BasicBlock *current_block(Lowering *l);
/* Begins a block where the lanes of a warp wait for each other, as the hardware makes them do. */
void join_warp(Lowering *l);
/* Every PTX instruction is counted once, in its block and its source line, and so is every class of work it does. */
void count_instruction(Lowering *l);
void count_class(Lowering *l, OpClass op_class);
/* An instruction of class CONTROL. */
void count_control(Lowering *l);
/* Counts a memory request of one warp. */
void count_request(Lowering *l, const Instruction *instruction);
/* Gives the current block its end, under the guard of the current instruction, and begins the next block. */
BasicBlock *end_block(Lowering *l, BlockEnd ends);

#endif
