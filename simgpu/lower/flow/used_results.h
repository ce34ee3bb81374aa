/* used_results.h - finds the atomic operations whose old value is used.  */
#ifndef SIMGPU_LOWER_FLOW_USED_RESULTS_H
#define SIMGPU_LOWER_FLOW_USED_RESULTS_H

#include "simgpu/lower/emit/lowering.h"

/* Fills in Instruction.uses_result. nvcc writes atom for atomicAdd() whether the old value is used or not. */
void mark_used_results(Lowering *l);

#endif
