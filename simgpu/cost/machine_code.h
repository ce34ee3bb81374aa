/* machine_code.h - what ptxas made of a kernel, and so what the multiprocessors of a GPU had to do when it ran.
 *
 * A GPU does not run PTX: ptxas unrolls loops, folds additions into addresses, keeps addresses in 32 bits, merges
 * loads. The machine code says how many instructions are left, for which pipe, and how long a warp waits between them.
 *
 * Theory   Each machine instruction has a line of PTX (machine_lines.h), and so a basic block. A stretch of machine
 *          code may hold several copies of a block (an unrolled loop), and there may be several such stretches (the
 *          unrolled loop, and another for the remaining iterations). The number of iterations of a loop decides which
 *          of them a warp runs. If ptxas has turned the branch over a block into conditions of its instructions, the
 *          block lies between others in a stretch, and runs when they do. The time that a warp waits follows from the
 *          scheduling bits that ptxas writes into each instruction: cycles until the next may issue, and for which
 *          loads it waits.
 * Units    warp-instructions and cycles, summed over warps.
 * Errors   false if the cubin has no line table for the kernel, or if its machine language is unknown.  */
#ifndef SIMGPU_COST_MACHINE_CODE_H
#define SIMGPU_COST_MACHINE_CODE_H

#include "simgpu/code/code.h"
#include "simgpu/cost/hardware_profile.h"
#include "simgpu/cost/machine_program.h"
#include "simgpu/cost/reuse.h"

/* ==== machine code ================================================================================================ */

bool machine_code_read(const void *cubin, size_t bytes, const char *kernel, const Code *code,
                       const HardwareProfile *profile, MachineProgram *program);
void machine_code_free(MachineProgram *program);

/* Fills in BasicBlock.work of all basic blocks; `program` NULL: the machine code is unknown. */
void machine_code_weigh(const MachineProgram *program, Code *code);

/* Lets warps wait for their loads as loads[Instruction.index] says, and for those from local memory as `local` does; NULL
 * and zeros: the L1 serves all loads, as after reading. */
void machine_code_wait(MachineProgram *program, const Code *code, const HardwareProfile *profile,
                       const LoadShare *loads, LoadShare local);

/* ==== machine wait ================================================================================================ */

/* How long a warp waits between the instructions of a kernel's machine code. */

/* Sets MachineInstruction.cycles of all instructions, for a warp that runs alone. loads[Instruction.index] says which
 * level of memory serves a load; `loads` NULL: the L1 serves all. `local` says it of loads from local memory. */
void machine_wait(MachineInstruction *instructions, size_t count, const HardwareProfile *profile,
                  const LoadShare *loads, LoadShare local);

#endif
