/* machine_program.h - the machine code of a kernel, sorted by the lines and basic blocks of its PTX.
 *
 * In this file and in machine_stretches.h, a stretch is a run of machine instructions that no branch leaves or enters
 * midway, and a block is a basic block of PTX. Unrolling a loop puts several copies of a block into one stretch.  */
#ifndef SIMGPU_COST_MACHINE_PROGRAM_H
#define SIMGPU_COST_MACHINE_PROGRAM_H

#include "simgpu/cost/machine_flow.h"
#include "simgpu/cost/machine_work.h"

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

#endif
