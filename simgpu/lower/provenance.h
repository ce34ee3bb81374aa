/* provenance.h - which shared or local array, or which parameter, a pointer was made from.
 *
 * An access past the end of one array may hit the next one. To report it, the simulated GPU must know which array the
 * pointer belongs to. That is the array whose address went into the pointer by moves and arithmetic, if there is only
 * one on all paths through the code. Nothing is known where there are two, or where a pointer comes from memory or
 * from a caller. Loaded numbers of 32 bits are taken to be indices.
 *
 * Compilers put the local arrays of a function into one variable, __local_depot0, and do not say where each of them
 * lies. But nvcc and clang make the address of each by `add.u64 %rd1, %SP, 16`, from a register that holds that of the
 * variable, and use add.s64 or an offset for everything within an array. So one array ends where the next address is
 * made; padding between the two counts as part of it. A struct is one array here.
 *
 * A struct that is passed by value is read in parameter memory or from a copy in local memory. Such a copy is an array
 * whose first bytes are stored from the parameter's, and which has room for all of it (PtxVariable.copy_of); it is told
 * by the parameter's name.
 *
 * Source   LLVM, lib/Target/NVPTX/NVPTXInstrInfo.td: LEA_ADDRi64, which takes the address of an object of the frame.  */
#ifndef SIMGPU_LOWER_PROVENANCE_H
#define SIMGPU_LOWER_PROVENANCE_H

#include "base/arena.h"
#include "simgpu/ptx/ptx.h"

/* [register] the variable, shared, a parameter, local or a part of a local one, that the register points into, in the arena; NULL:
 * none, or not known. */
const PtxVariable **provenance_of_registers(const PtxFunction *function, Arena *arena);

#endif
