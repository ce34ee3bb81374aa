/* predicate.h - the lanes in which a predicate holds.  */
#ifndef SIMGPU_BLOCK_PREDICATE_H
#define SIMGPU_BLOCK_PREDICATE_H

#include "simgpu/block/active.h"
#include "simgpu/code/code.h"

/* Sets `part` to the lanes of `active` in which a predicate holds; false where it holds in none. `part` may be
 * `active`. A predicate without a slot holds in all lanes. */
bool predicate_lanes(Worker *worker, const Active *active, Operand predicate, bool negated, Active *part);

#endif
