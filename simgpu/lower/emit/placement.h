/* placement.h - where variables lie: in shared memory, in the frame of a thread, or where the module placed them.  */
#ifndef SIMGPU_LOWER_EMIT_PLACEMENT_H
#define SIMGPU_LOWER_EMIT_PLACEMENT_H

#include "simgpu/lower/emit/lowering.h"

/* The variable's placement in the list; NULL: none. */
const Placement *find_placement(const Placement *list, const PtxVariable *variable);
/* Gives back `offset`. */
uint64_t add_placement(Lowering *l, Placement **list, const PtxVariable *variable, uint64_t offset);
/* Reserves room in the frame of the instance. */
uint64_t place_in_frame(Lowering *l, Instance *instance, const PtxVariable *variable);
/* Gives every shared variable that the kernel can reach its offset. */
void place_shared(Lowering *l, const PtxFunction *kernel);
/* The address of a variable in its own state space. */
uint64_t variable_address(Lowering *l, const PtxVariable *variable);

#endif
