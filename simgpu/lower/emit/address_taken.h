/* address_taken.h - which functions pointers may lead to.  */
#ifndef SIMGPU_LOWER_EMIT_ADDRESS_TAKEN_H
#define SIMGPU_LOWER_EMIT_ADDRESS_TAKEN_H

#include "simgpu/ptx/ptx.h"

/* The name of the function that the instruction calls; NULL: it calls none, or one that a pointer leads to. */
const char *ptx_called_name(const PtxInstruction *instruction);
/* Does the instruction call through a pointer? */
bool calls_through_pointer(const PtxInstruction *instruction);
/* Does a variable, or an instruction other than a call, hold the address of this device function? */
bool is_address_taken(const PtxModule *module, const PtxFunction *function);

#endif
