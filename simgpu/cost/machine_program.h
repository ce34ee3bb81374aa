/* machine_program.h - the machine code of a kernel, sorted by the lines and basic blocks of its PTX.
 *
 * In this file and in machine_code.h, a stretch is a run of machine instructions that no branch leaves or enters
 * midway, and a block is a basic block of PTX. Unrolling a loop puts several copies of a block into one stretch.  */
#ifndef SIMGPU_COST_MACHINE_PROGRAM_H
#define SIMGPU_COST_MACHINE_PROGRAM_H

#include "simgpu/code/code.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== machine instruction ========================================================================================= */

/* Decodes the machine code (SASS) of a kernel, as far as the cost model needs it.
 *
 * Errors   false if the cubin has no such kernel or no line table for it, or if its machine language is unknown.
 * Source   encoding of compute capability 7.0 to 9.0 as nvdisasm shows it for nvcc 13.0; scheduling bits: Jia et al.,
 *          Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking (2018), 2.1 "Control information". */

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
    MACHINE_FIRST_CONVERSION = 0x110, /* F2F, F2I, I2F, FRND from or to 64 bits */
    MACHINE_LAST_CONVERSION = 0x113,
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
    MACHINE_LAST_MEMORY = 0x1af,
    MACHINE_CLUSTER_BARRIER = 0x1c7 /* arrival, and wait */
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
    double cycles;     /* that a warp spends on it, on average */
    double first_pass_cycles; /* that it spent when the walk passed last; machine_code.c's own */
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

/* ==== machine flow ================================================================================================ */

/* Which stretches of a kernel's machine code run at least as often as others.
 *
 * Theory   a stretch that every way to another one passes runs at least as often as that one: it dominates the other.
 *          So does a stretch that every way onwards passes: it postdominates the other. Both hold within the innermost
 *          loop around the other stretch. For postdominators, the way back to the start of a loop counts as a way to
 *          where the loop is left.
 * Bounds   branches over a table are ways to the end of the kernel here, and the search is given up where it takes too
 *          long. Then fewer stretches are known to run as often as others.
 * Source   Cooper, Harvey, Kennedy, A Simple, Fast Dominance Algorithm (2001); loops: Havlak, Nesting of Reducible and
 *          Irreducible Loops (1997). */

enum { FLOW_NONE = -1 };

typedef struct MachineFlow {
    int32_t count;                      /* stretches */
    int32_t *dominator, *postdominator; /* [2 count + 1] the nearest one; numbers from `count` on are no stretches */
    int32_t *loop;                      /* [count] first stretch of the innermost loop around it */
    int32_t *outer;                     /* [count] of a loop's first stretch: that of the loop around the loop */
} MachineFlow;

void machine_flow_find(const MachineInstruction *instructions, size_t count, MachineFlow *flow);
void machine_flow_free(MachineFlow *flow);

/* runs[i] is a lower bound of how often stretch i ran. Raises the bounds that follow from others. */
void machine_flow_raise(const MachineFlow *flow, double *runs);

/* ==== machine work ================================================================================================ */

/* What machine instructions ask of the units of a multiprocessor.
 *
 * Units    warp-instructions and cycles, summed over warps. */

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
} MachineWork;

MachineWork machine_work_of(const MachineInstruction *instruction);
/* The larger one in each respect. */
MachineWork machine_work_larger(const MachineWork *a, const MachineWork *b);
void machine_work_add(MachineWork *sum, const MachineWork *work, double times);

/* ==== machine program ============================================================================================= */

enum { MACHINE_VARIANTS = 6 }; /* different numbers of copies; an unrolled loop has three or four */

typedef struct MachineVariant {
    uint32_t copies;  /* of the block in a stretch */
    MachineWork work; /* of one copy */
} MachineVariant;

typedef struct MachineLine { /* of PTX */
    int32_t block;           /* the first block that holds it; -1: none */
    int32_t access;          /* Instruction.index of an access to memory */
    uint32_t statements;     /* instructions of PTX on the line; inline assembly can put several there */
    uint32_t instances;      /* how often they were lowered: a function's once for each call of it */
    uint32_t accesses;       /* plain loads and stores among the statements */
    uint32_t access_bytes;   /* of the last one, per lane */
    PtxSpace space;          /* of all of them; PTX_NO_SPACE: generic or several */
    bool is_float;           /* the only statement adds, multiplies or both in float32 */
    bool may_be_float;       /* a statement can lead to such operations: a division, for example */
    int32_t first, last;     /* first and last block of the same loop that stand in one stretch with it */
    MachineWork dispatch;    /* done once for all iterations of its loop, to choose among the copies */
    int variant_count;
    MachineVariant variants[MACHINE_VARIANTS];
} MachineLine;

typedef struct MachineCopies {
    int count;
    uint32_t copies[MACHINE_VARIANTS]; /* falling */
} MachineCopies;

typedef struct MachineBlock {
    int loop;             /* first block of the innermost loop that it lies in; 0: none */
    bool accesses;        /* it accesses memory */
    uint32_t lines;       /* number of its lines of PTX */
    MachineCopies copies; /* in the stretches that hold it */
} MachineBlock;

/* The instructions of one line of PTX in one stretch. */
typedef struct MachinePart {
    uint32_t line;
    int32_t stretch;
    uint32_t shown;  /* how many copies of the line its accesses or float32 operations show; 0: it has none */
    uint32_t copies; /* of the line's block in the stretch */
    MachineWork work;
} MachinePart;

typedef struct MachineProgram {
    MachineInstruction *instructions; /* [instruction_count] */
    size_t instruction_count;
    MachineLine *lines; /* [line_count], by number */
    size_t line_count;
    MachineBlock *blocks; /* [code->block_count] */
    MachinePart *parts;   /* [part_count], by stretch */
    size_t part_count;
    MachineFlow flow;
    uint32_t direct_bytes; /* size of the __constant__ elements that are operands of instructions, at fixed places */
} MachineProgram;

/* The line that an instruction counts for: its own, or if ptxas gives it one that executes nothing, such as the
 * kernel's first brace, that of the instruction before. */
static inline size_t machine_line_of(const MachineProgram *program, const MachineInstruction *instruction,
                                     size_t before)
{
    size_t line = (size_t)instruction->line;
    bool executes = instruction->line > 0 && line < program->line_count && program->lines[line].block >= 0;
    return executes ? line : before;
}

/* ==== machine total =============================================================================================== */

/* What the machine code of a kernel did in a launch.
 *
 * Theory   there are two counts of the instructions of each line of PTX, and the larger one counts, less a tenth. The
 *          first takes them as often as the line's basic block ran, divided among the stretches that hold copies of the
 *          block (machine_code.h). It follows ptxas where that hoists instructions out of loops, but relies on how the
 *          lines of PTX are arranged. The second is a lower bound that does not: ptxas neither leaves out accesses to
 *          memory and float32 operations nor makes several of one, so that a stretch which holds one ran as often as
 *          PTX executed it. All instructions of the stretch ran as often, whatever their lines. So did stretches that
 *          every way to it, or onwards, passes.
 * Units    warp-instructions and cycles, summed over warps. */

/* What machine code does at least, whatever a compiler makes of the PTX (BasicBlock.certain): `issue`, `fma` and `special`. */
MachineWork machine_least(const Code *code, const uint64_t *executed);

/* Whether the lines of the machine code may be believed, after a launch whose warps executed block i executed[i] times, and
 * `instructions` of PTX in all. `sum` is what the lines say that it did, `least` what it did at least. */
bool machine_is_plausible(const MachineProgram *program, const uint64_t *executed, const MachineWork *sum,
                          const MachineWork *least, double instructions);

/* The work of warps that executed block i executed[i] times. */
void machine_total(const MachineProgram *program, const Code *code, const uint64_t *executed, MachineWork *sum);

#endif
