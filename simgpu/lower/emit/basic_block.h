/* basic_block.h - the current basic block, which receives the instructions, and the counts of what it does.  */
#ifndef SIMGPU_LOWER_EMIT_BASIC_BLOCK_H
#define SIMGPU_LOWER_EMIT_BASIC_BLOCK_H

#include "simgpu/lower/emit/lowering.h"

/* Begins a new block and gives back its index. The current block falls through into it, unless end_block() has given it
 * another end. A current block that is still empty is used as the new one. */
int new_block(Lowering *l);
BasicBlock *current_block(Lowering *l);
/* Begins a block at whose start the lanes of a warp wait for each other, as before a .sync instruction. */
void join_warp(Lowering *l);
/* Counts the current PTX instruction in its block and in its source line. Once for each instruction. */
void count_instruction(Lowering *l);
/* Counts one operation of that class for the current PTX instruction. */
void count_class(Lowering *l, OpClass op_class);
/* Counts the current PTX instruction and one operation of class CONTROL. */
void count_control(Lowering *l);
/* Counts the request that the memory instruction makes for each warp, if it makes one on hardware. */
void count_request(Lowering *l, const Instruction *instruction);
/* Ends the current block under the guard of the current instruction, which is counted, and begins the next block. Gives
 * back the block that has ended, valid until the next block begins. */
BasicBlock *end_block(Lowering *l, BlockEnd ends);

#endif
