/* lower.h - decodes the PTX of a kernel into Code (code.h): basic blocks of micro-operations over register slots.
 *
 * lower.c               walks over the instructions, and lowers most of them; inlines calls
 * lower_*.c             lower large families of instructions
 * lowering.c, operand.c, placement.c
 *                       hold what all of these emit code with
 * provenance.c          finds out from which shared or local variable a pointer was made
 * value_flow.c, slots.c
 *                       are passes over the finished code  */
#ifndef SIMGPU_LOWER_LOWER_H
#define SIMGPU_LOWER_LOWER_H

#include "base/status.h"
#include "simgpu/code/code.h"

/* Decodes one kernel. The variables of the module must have been placed. STATUS_UNSUPPORTED: `why` names the
 * instruction that is not implemented, and its source line. STATUS_BAD_INPUT: it names one that PTX does not allow, as
 * its operands are of the wrong kind or size. The code keeps no pointers into the module but those to
 * file names. */
MUST_USE Status lower_kernel(const PtxModule *module, const PtxFunction *function, Code *code, Message *why);

#endif
