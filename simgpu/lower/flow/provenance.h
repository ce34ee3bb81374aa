/* provenance.h - which shared array a pointer was made from.
 *
 * An access past the end of one shared array may hit the next one. To report it, the simulated GPU must know which
 * array the pointer belongs to. That is the array whose address went into the pointer by moves and arithmetic, if
 * there is only one on all paths through the code. Nothing is known where there are two, or where a pointer comes
 * from memory or from a caller. Loaded numbers of 32 bits are taken to be indices.  */
#ifndef SIMGPU_LOWER_FLOW_PROVENANCE_H
#define SIMGPU_LOWER_FLOW_PROVENANCE_H

#include "base/arena.h"
#include "simgpu/ptx/ptx.h"

/* [register] the shared variable that the register points into, in the arena; NULL: none, or not known. */
const PtxVariable **provenance_of_registers(const PtxFunction *function, Arena *arena);

#endif
