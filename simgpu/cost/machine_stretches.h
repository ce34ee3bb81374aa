/* machine_stretches.h - what each stretch of a kernel's machine code holds (machine_program.h).
 *
 * Two scans over the code: the first finds how many copies of a block a stretch can hold, the second, which needs that,
 * what one copy of a line does.  */
#ifndef SIMGPU_COST_MACHINE_STRETCHES_H
#define SIMGPU_COST_MACHINE_STRETCHES_H

#include "simgpu/cost/machine_program.h"

/* Fills in MachineBlock.copies and .accesses of all blocks. */
void machine_stretches_find_copies(MachineProgram *program, size_t block_count);
/* Fills in variants, dispatch, first and last of all lines, and the parts of all stretches. */
void machine_stretches_sum_work(MachineProgram *program, size_t block_count);

#endif
