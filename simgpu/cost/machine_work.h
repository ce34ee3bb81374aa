/* machine_work.h - what machine instructions ask of the units of a multiprocessor.
 *
 * Units    warp-instructions and cycles, summed over warps.  */
#ifndef SIMGPU_COST_MACHINE_WORK_H
#define SIMGPU_COST_MACHINE_WORK_H

#include "simgpu/cost/machine_instruction.h"

typedef struct MachineWork {
    double issue;              /* all instructions */
    double fma, alu, special;  /* of the float32 pipe; of integers and comparisons; of special functions */
    double multiply;           /* integer multiplications, which occupy one half of the float32 pipe */
    double shared;             /* loads from shared memory */
    double local, local_bytes; /* loads from local memory and stores into it; bytes of them per lane */
    double constant, uniform;  /* loads of __constant__ arrays: LDC; through the uniform datapath (ULDC) */
    double uniform_misses;     /* of the latter, those that miss whatever other warps do */
    double direct;             /* instructions with an element of such an array as an operand, at a fixed place */
    double cycles;             /* from start to end of a warp that runs alone */
    double checked_cycles;     /* the same with each load slow as often as its share says */
} MachineWork;

MachineWork machine_work_of(const MachineInstruction *instruction);
/* The larger one in each respect. */
MachineWork machine_work_larger(const MachineWork *a, const MachineWork *b);
void machine_work_add(MachineWork *sum, const MachineWork *work, double times);

#endif
