/* machine_total.h - what the machine code of a kernel did in a launch.
 *
 * Theory   there are two counts of the instructions of each line of PTX, and the larger one counts, less a tenth. The
 *          first takes them as often as the line's basic block ran, divided among the stretches that hold copies of the
 *          block (machine_code.h). It follows ptxas where that hoists instructions out of loops, but relies on how the
 *          lines of PTX are arranged. The second is a lower bound that does not: ptxas neither leaves out accesses to
 *          memory and float32 operations nor makes several of one, so that a stretch which holds one ran as often as
 *          PTX executed it. All instructions of the stretch ran as often, whatever their lines. So did stretches that
 *          every way to it, or onwards, passes (machine_flow.h).
 * Units    warp-instructions and cycles, summed over warps.  */
#ifndef SIMGPU_COST_MACHINE_TOTAL_H
#define SIMGPU_COST_MACHINE_TOTAL_H

#include "simgpu/code/code.h"
#include "simgpu/cost/machine_program.h"

/* The work of warps that executed block i executed[i] times. */
void machine_total(const MachineProgram *program, const Code *code, const uint64_t *executed, MachineWork *sum);

#endif
