/* predicate.h - the lanes in which a predicate holds.  */
#ifndef SIMGPU_BLOCK_PREDICATE_H
#define SIMGPU_BLOCK_PREDICATE_H

#include "simgpu/block/active.h"
#include "simgpu/code/code.h"

/* The lanes of `active` in which a predicate holds; false: none. `part` may be the same as `active`. */
bool predicate_lanes(Worker *worker, const Active *active, Operand predicate, bool negated, Active *part);

#endif
