/* machine_instruction.h - decodes the machine code (SASS) of a kernel, as far as the cost model needs it.
 *
 * Errors   false if the cubin has no such kernel or no line table for it, or if its machine language is unknown.
 * Source   encoding of compute capability 7.0 to 9.0 as nvdisasm shows it for nvcc 13.0; scheduling bits: Jia et al.,
 *          Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking (2018), 2.1 "Control information".  */
#ifndef SIMGPU_COST_MACHINE_INSTRUCTION_H
#define SIMGPU_COST_MACHINE_INSTRUCTION_H

#include "simgpu/code/code.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bits 0 to 8 of an instruction. Bits 9 to 11 say which operands are immediate, constant or uniform. */
typedef enum MachineOperation {
    MACHINE_MOV = 0x002,
    MACHINE_VIMNMX3 = 0x00f,
    MACHINE_IADD3 = 0x010,
    MACHINE_PLOP3 = 0x01c,
    MACHINE_FMUL = 0x020,
    MACHINE_FADD = 0x021,
    MACHINE_FFMA = 0x023,
    MACHINE_IMAD = 0x024,
    MACHINE_IMAD_HIGH = 0x027,
    MACHINE_HFMA2 = 0x035,
    MACHINE_VIADD = 0x036,
    MACHINE_I2FP = 0x045,
    MACHINE_VIMNMX = 0x048,
    MACHINE_FIRST_UNIFORM = 0x080,
    MACHINE_ULDC = 0x0b9,
    MACHINE_ULDC_INDEXED = 0x0bb,
    MACHINE_FLO = 0x100,
    MACHINE_POPC = 0x109,
    MACHINE_NOP = 0x118,
    MACHINE_BAR = 0x11d,
    MACHINE_CALL = 0x144,
    MACHINE_BRA = 0x147,
    MACHINE_BRX = 0x149,
    MACHINE_EXIT = 0x14d,
    MACHINE_RET = 0x150,
    MACHINE_LD = 0x180,
    MACHINE_LDG = 0x181,
    MACHINE_LDC = 0x182,
    MACHINE_LDL = 0x183,
    MACHINE_LDS = 0x184,
    MACHINE_ST = 0x185,
    MACHINE_STG = 0x186,
    MACHINE_STL = 0x187,
    MACHINE_STS = 0x188,
    MACHINE_LAST_MEMORY = 0x1af
} MachineOperation;

enum { MACHINE_BARRIERS = 6 }; /* scoreboard barriers of a warp */

typedef struct MachineInstruction {
    uint32_t operation;                       /* a MachineOperation, or one that makes no difference to the model */
    uint32_t bytes;                           /* of an access to memory, per lane */
    bool is_conditional;                      /* it runs only where a predicate holds */
    uint32_t stall;                           /* cycles until the warp's next instruction may issue */
    uint32_t result_barrier, operand_barrier; /* released when the result is there, when the operands have been read;
                                               * MACHINE_BARRIERS or more: none */
    uint32_t waits;                           /* bit i: the instruction waits for barrier i */
    bool of_variables; /* the constant bank that it reads, if any, is that of __constant__ variables */
    bool direct;       /* one of its operands is an element of a __constant__ array at a fixed place */
    int32_t line;      /* of PTX; 0: unknown */
    int32_t access;    /* Instruction.index of the access in PTX; -1: unknown */
    int64_t target;    /* of a branch: index of an instruction; -1: none */
    bool is_called;    /* it belongs to a function that the kernel calls, and has the line of the call */
    bool leads;        /* it is the first of a stretch, a run of instructions that no branch leaves or enters midway */
    double missing;    /* of a load through the uniform datapath: fraction that misses whatever other warps do */
    double cycles;     /* that a warp spends on it, on average; which loads are slow is drawn */
    double checked_cycles;    /* the same, with each load slow as often as its share says (machine_wait.c) */
    double first_pass_cycles; /* that it spent when the walk passed last; machine_wait.c's own */
} MachineInstruction;

/* Decodes all instructions of a kernel; [*count + 1], the caller's to free. */
bool machine_instructions_read(const void *cubin, size_t bytes, const char *kernel, int compute_major,
                               MachineInstruction **instructions, size_t *count);

/* A load from global, local or generic memory. */
bool machine_is_load(const MachineInstruction *instruction);
/* An access to memory in PTX: loads of kernel parameters and other constants of the compiler's are none. */
bool machine_is_access(const MachineInstruction *instruction);
/* A load from local memory or a store into it. */
bool machine_is_local(const MachineInstruction *instruction);
/* An addition, a multiplication or both in float32. */
bool machine_is_float(const MachineInstruction *instruction);
/* Whether ptxas could make the instruction of a plain load or store of PTX in the given space, of which it makes exactly
 * one. PTX_NO_SPACE: a generic access. */
bool machine_makes_access(const MachineInstruction *instruction, PtxSpace space);

#endif
