/* provenance.h - which shared array an address was made from: a kernel may not go from one into the next, though both lie
 * in the block's shared memory.
 *
 * An address is taken to belong to a variable where that is the only one whose address has gone into it by moves and
 * arithmetic, whatever way the code took. Where two have, or a pointer came from memory or from a caller, nothing is
 * known; numbers of 32 bits that are loaded are taken to be indices.  */
#ifndef SIMGPU_LOWER_PROVENANCE_H
#define SIMGPU_LOWER_PROVENANCE_H

#include "base/arena.h"
#include "simgpu/ptx/ptx.h"

/* Of each register of a function, in the arena; NULL where no variable's address goes into it, or several might. */
const PtxVariable **provenance_of_registers(const PtxFunction *function, Arena *arena);

#endif
