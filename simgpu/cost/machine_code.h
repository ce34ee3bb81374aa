/* machine_code.h - what ptxas made of a kernel, and so what the GPU's multiprocessors had to do when it ran.
 *
 * PTX is not what runs: ptxas unrolls loops, folds additions into addresses, keeps addresses in 32 bits, merges loads.
 * The machine code says how many instructions are left, for which pipe, and how long a warp waits between them.
 *
 * Theory   Machine instructions know their line of PTX (machine_lines.h), and so their basic block. A stretch of machine
 *          code may hold several copies of a block (an unrolled loop), and there may be several such stretches (the
 *          unrolled loop and what is left over): how many turns a loop takes decides which of them a warp goes through.
 *          A block whose branch ptxas made conditions of lies between others in a stretch, and runs when these do.
 *          Waiting follows from the scheduling bits that ptxas writes into each instruction: cycles until the next may
 *          issue, and which results of loads it waits for.
 * Units    warp-instructions and cycles, summed over warps.
 * Errors   false where the cubin does not say: no line table, another machine language.
 * Source   encoding of compute capability 7.0 to 9.0 as nvdisasm shows it for nvcc 13.0; scheduling bits: Jia et al.,
 *          Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking (2018), 2.1 "Control information".  */
#ifndef SIMGPU_COST_MACHINE_CODE_H
#define SIMGPU_COST_MACHINE_CODE_H

#include "simgpu/code/code.h"
#include "simgpu/cost/profile.h"
#include "simgpu/cost/reuse.h"

typedef struct MachineWork {
    double issue;             /* all instructions */
    double fma, alu, special; /* for the float32 pipe, that of integers and comparisons, that of functions */
    double multiply;          /* integer multiplications, which take one half of the float32 pipe */
    double shared;            /* loads from shared memory */
    double constant, uniform; /* loads of __constant__ arrays: LDC, and through the uniform datapath (ULDC) */
    double direct;            /* instructions with an element of such an array as an operand, at a fixed place */
    double cycles;            /* from start to end of a warp alone */
} MachineWork;

enum { MACHINE_VARIANTS = 6 }; /* an unrolled loop has three or four */

typedef struct MachineVariant {
    uint32_t copies;  /* of the block in a stretch */
    MachineWork work; /* of one of them */
} MachineVariant;

typedef struct MachineLine { /* of PTX */
    int32_t block;           /* the first that holds it; -1: none */
    int32_t access;          /* Instruction.index, of an access to memory */
    int32_t first, last;     /* blocks of the same loop that stand in one stretch with it */
    MachineWork choice;      /* done once for all turns of its loop: which of the copies comes next */
    int variant_count;
    MachineVariant variants[MACHINE_VARIANTS];
} MachineLine;

typedef struct MachineCopies {
    int count;
    uint32_t copies[MACHINE_VARIANTS]; /* falling */
} MachineCopies;

typedef struct MachineBlock {
    int loop;             /* first block of the innermost loop that it lies in; 0: in none */
    bool accesses;        /* memory */
    uint32_t lines;       /* of PTX */
    MachineCopies copies; /* in the stretches that hold it */
} MachineBlock;

typedef struct MachineProgram {
    struct Machine *instructions; /* [instruction_count] */
    size_t instruction_count;
    MachineLine *lines; /* [line_count], by number */
    size_t line_count;
    MachineBlock *blocks;  /* [code->block_count] */
    uint32_t direct_bytes; /* of __constant__ arrays that stand in instructions, at fixed places */
} MachineProgram;

bool machine_code_read(const void *cubin, size_t bytes, const char *kernel, const Code *code,
                       const HardwareProfile *profile, MachineProgram *program);
void machine_code_free(MachineProgram *program);

/* Lets warps wait for their loads as loads[Instruction.index] says; NULL: the L1 serves all, as after reading. */
void machine_code_wait(MachineProgram *program, const Code *code, const HardwareProfile *profile,
                       const LoadShare *loads);

/* What warps did that executed[block] times executed each block. */
void machine_code_total(const MachineProgram *program, const Code *code, const uint64_t *executed, MachineWork *sum);

#endif
