/* machine_wait.h - how long a warp waits between the instructions of a kernel's machine code.  */
#ifndef SIMGPU_COST_MACHINE_WAIT_H
#define SIMGPU_COST_MACHINE_WAIT_H

#include "simgpu/cost/machine_instruction.h"
#include "simgpu/cost/hardware_profile.h"
#include "simgpu/cost/reuse.h"

/* Sets MachineInstruction.cycles of all instructions, for a warp that runs alone. loads[Instruction.index] says which
 * level of memory serves a load; `loads` NULL: the L1 serves all. `local` says it of loads from local memory. */
void machine_wait(MachineInstruction *instructions, size_t count, const HardwareProfile *profile,
                  const LoadShare *loads, LoadShare local);

#endif
