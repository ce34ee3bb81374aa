/* lower_warp.h - what the lanes of a warp do together: shuffles, votes and their like.  */
#ifndef SIMGPU_LOWER_LOWER_WARP_H
#define SIMGPU_LOWER_LOWER_WARP_H

#include "simgpu/lower/emit/parts.h"

void lower_shuffle(Lowering *l, const OpcodeModifiers *parts);
void lower_vote(Lowering *l, const OpcodeModifiers *parts);
void lower_match(Lowering *l, const OpcodeModifiers *parts);
void lower_reduce(Lowering *l, const OpcodeModifiers *parts);
void lower_active_mask(Lowering *l, const OpcodeModifiers *parts);
void lower_elect(Lowering *l, const OpcodeModifiers *parts);
void lower_warp_barrier(Lowering *l, const OpcodeModifiers *parts);

#endif
