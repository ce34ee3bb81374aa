/* used_results.h - which atomic operations have an old value that is used.  */
#ifndef SIMGPU_LOWER_USED_RESULTS_H
#define SIMGPU_LOWER_USED_RESULTS_H

#include "simgpu/lower/emit/lowering.h"

/* Fills in Instruction.uses_result. */
void mark_used_results(Lowering *l);

#endif
