/* lower_branch.h - branches, and the ends of functions and kernels.  */
#ifndef SIMGPU_LOWER_LOWER_BRANCH_H
#define SIMGPU_LOWER_LOWER_BRANCH_H

#include "simgpu/lower/emit/parts.h"

void lower_branch(Lowering *l, const OpcodeModifiers *parts);
void lower_indexed_branch(Lowering *l, const OpcodeModifiers *parts);
void lower_return(Lowering *l, const OpcodeModifiers *parts);
void lower_trap(Lowering *l, const OpcodeModifiers *parts);
/* Fills in the targets of the branches of one instance, when all its instructions are lowered. Its blocks are
 * `first_block` and those after it. */
void bind_branches(Lowering *l, Instance *instance, int first_block);

#endif
