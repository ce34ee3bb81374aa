/* lowering.h - the state of one kernel on its way from PTX to code.h.  */
#ifndef SIMGPU_LOWER_EMIT_LOWERING_H
#define SIMGPU_LOWER_EMIT_LOWERING_H

#include "base/status.h"
#include "simgpu/code/code.h"

#include <setjmp.h>

static const Operand no_operand = {.slot = NO_SLOT};

/* Where a variable lies in the frame of a thread or in shared memory. */
typedef struct Placement {
    struct Placement *next;
    const PtxVariable *variable;
    uint64_t offset;
} Placement;

/* One function as it is being lowered: the kernel, or a device function inlined at one call. */
typedef struct Instance {
    const struct Instance *caller;
    const PtxFunction *function;
    uint32_t first_register; /* virtual register of its register 0 */
    int32_t *block_of;       /* [instruction_count + 1] block that starts at a PTX instruction; -1: not a target */
    const PtxVariable **provenance; /* [register] see provenance.h */
    Placement *frame;               /* its .local variables, the .param variables of its calls, its own parameters */
} Instance;

/* A branch whose target block is not known yet. */
typedef struct PendingBranch {
    struct PendingBranch *next;
    int block;
    int label;      /* PTX instruction of the instance */
    int32_t *where; /* the field to be set, for tables; NULL: blocks[block].target */
} PendingBranch;

typedef struct Lowering {
    const PtxModule *module;
    Code *code;
    Arena *arena; /* for what is needed only while lowering */
    Message *why;
    jmp_buf give_up;
    Instance *instance;
    const PtxInstruction *source; /* the instruction being lowered */
    Operand guard;
    bool guard_negated;

    size_t instruction_capacity, block_capacity, block_line_capacity, line_capacity, pinned_capacity;
    uint8_t *register_sizes; /* [register_count] logarithm of bytes of virtual registers */
    uint32_t register_count;
    size_t register_capacity;
    Placement *shared;                 /* the kernel's shared variables */
    const PtxVariable *unsized_shared; /* one of those at the start of dynamic shared memory; NULL: none */
    PendingBranch *pending;
    int inline_depth;
    Operand carry; /* of add.cc and its like; slot NO_SLOT: not used yet */
} Lowering;

/* Ends the lowering of the kernel: the current instruction is not implemented. `what` names the part of it that is not;
 * "" means the instruction as a whole. */
__attribute__((noreturn)) void lower_refuse(Lowering *l, const char *what);
/* Operand `index` of the current instruction; refuses the instruction if it has fewer operands. */
const PtxOperand *operand_at(Lowering *l, int index);

#endif
