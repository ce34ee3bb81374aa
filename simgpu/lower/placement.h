/* placement.h - the addresses of variables.
 *
 * Shared variables lie in the shared memory of the block. Local variables, the arguments and results of calls, and the
 * parameters of device functions lie in the frame of a thread, which is local memory. Global and constant variables lie
 * where the module has placed them.  */
#ifndef SIMGPU_LOWER_PLACEMENT_H
#define SIMGPU_LOWER_PLACEMENT_H

#include "simgpu/lower/lowering.h"
#include "simgpu/ptx/ptx.h"

/* ==== address taken =============================================================================================== */

/* Which functions pointers may lead to. */

/* The name of the function that the instruction calls; NULL: it calls none, or one that a pointer leads to. */
const char *ptx_called_name(const PtxInstruction *instruction);
/* Does a variable, or an instruction other than a call, hold the address of this device function? */
bool is_address_taken(const PtxModule *module, const PtxFunction *function);

/* ==== placement =================================================================================================== */

/* The placement of the variable in the list; NULL: none. */
const Placement *find_placement(const Placement *list, const PtxVariable *variable);
/* Adds a placement to the list, and gives back `offset`. */
uint64_t add_placement(Lowering *l, Placement **list, const PtxVariable *variable, uint64_t offset);
/* Reserves room for the variable at the end of the frame, and gives back its offset there. */
uint64_t place_in_frame(Lowering *l, Instance *instance, const PtxVariable *variable);
/* Gives an offset to every shared variable that the kernel, or a function it calls, uses. */
void place_shared(Lowering *l, const PtxFunction *kernel);
/* The address of a variable in its own state space. */
uint64_t variable_address(Lowering *l, const PtxVariable *variable);

#endif
