/* lowering.h - the state of one kernel while it is lowered from PTX to Code (code.h).
 *
 * The files of this folder hold what every kind of instruction needs; simgpu/lower holds the kinds.  */
#ifndef SIMGPU_LOWER_LOWERING_H
#define SIMGPU_LOWER_LOWERING_H

#include "base/status.h"
#include "simgpu/code/code.h"

#include <setjmp.h>

/* ==== lowering ==================================================================================================== */

static const Operand no_operand = {.slot = NO_SLOT};

/* The place of a variable in the frame of a thread or in shared memory. */
typedef struct Placement {
    struct Placement *next;
    const PtxVariable *variable;
    uint64_t offset; /* bytes from the start of the frame or of shared memory */
} Placement;

/* The kernel, a procedure (code.h), or a device function that is inlined at one call. */
typedef struct Instance {
    const struct Instance *caller; /* NULL: this is the kernel or a procedure */
    const PtxFunction *function;
    uint32_t first_register; /* the virtual register that stands for register 0 of the function */
    int32_t *block_of;       /* [instruction_count + 1] block that begins at a PTX instruction; -1: no branch target */
    const PtxVariable **provenance; /* [register] the variable it points to (provenance.h) */
    const uint8_t *mentions;        /* [register] how often it is named (check_registers.h) */
    bool in_procedure;              /* is, or is inlined in, a procedure */
    Operand frame_address;          /* of a procedure's call; slot NO_SLOT: the frame of the kernel, which lies at 0 */
    Placement *frame;               /* its .local variables, the .param variables of its calls, its parameters */
} Instance;

/* A branch whose target block does not exist yet. */
typedef struct PendingBranch {
    struct PendingBranch *next;
    int block;      /* the block that ends with the branch */
    int label;      /* index of the PTX instruction that it leads to */
    int32_t *where; /* the entry of a table of targets to set; NULL: blocks[block].target */
} PendingBranch;

typedef struct Lowering {
    const PtxModule *module;
    Code *code;
    Arena *arena; /* freed when the kernel is lowered */
    Message *why;
    Status refusal;  /* STATUS_UNSUPPORTED, or STATUS_BAD_INPUT by lower_reject() */
    jmp_buf give_up; /* where lower_refuse() returns to */
    Instance *instance;
    const PtxInstruction *source; /* the current instruction; NULL: outside of the walk */
    unsigned taken;               /* bit i: its operand i was looked at */
    Operand guard;                /* its guard; slot NO_SLOT: none */
    bool guard_negated;

    size_t instruction_capacity, block_capacity, block_line_capacity, line_capacity, special_capacity;
    uint8_t *register_sizes; /* [register_count] base-2 logarithm of the bytes of each virtual register */
    uint32_t register_count;
    size_t register_capacity;
    uint32_t first_mark;               /* registers from this one on are marks (unset_registers.h) */
    Placement *shared;                 /* the kernel's shared variables */
    const PtxVariable *unsized_shared; /* an `extern __shared__` array; NULL: the kernel has none */
    PendingBranch *pending;
    int inline_depth;
    uint32_t frame_bytes;           /* so far, of the kernel or the current procedure */
    const PtxFunction **procedures; /* [code->procedure_count] */
    size_t procedure_capacity, procedure_functions_capacity;
    struct CallGraph *graph; /* lower.c */
    void (*lower_body)(struct Lowering *l, Instance *instance);
    Operand carry; /* the carry flag of add.cc, addc and the like; slot NO_SLOT: not used yet */
} Lowering;

static inline bool is_kernel(const Instance *instance)
{
    return instance->caller == NULL && !instance->in_procedure;
}

/* Ends the lowering of the kernel, because its current instruction is not implemented. `what` names the unsupported
 * part, such as "this number of operands"; "" means the whole instruction. The message also gives opcode, file and
 * line. */
__attribute__((noreturn)) void lower_refuse(Lowering *l, const char *what);
/* The same where PTX itself does not allow the instruction as it stands: ptxas would not take it, whoever compiled it. */
__attribute__((noreturn)) void lower_reject(Lowering *l, const char *what);
/* The same for an operand. The message says which one, what it is, and what was expected: "a register of 32 bits". */
__attribute__((noreturn)) void lower_reject_operand(Lowering *l, const PtxOperand *operand, const char *expected);
/* Operand `index` of the current instruction; rejects the instruction if it has fewer operands. */
const PtxOperand *operand_at(Lowering *l, int index);
/* Rejects the instruction if it has operands that nothing has asked operand_at() or take_operand() for. */
void check_all_taken(Lowering *l);
/* Notes that operand `index` was looked at in another way than by operand_at(). */
void take_operand(Lowering *l, long index);

/* ==== parts ======================================================================================================= */

/* The parts of an opcode: "ld.global.nc.f32" is "ld", "global", "nc", "f32". */

enum { MAX_PARTS = 16 };

typedef struct OpcodeModifiers {
    const char *part[MAX_PARTS];
    int count;
} OpcodeModifiers;

OpcodeModifiers parts_of(Lowering *l, const char *opcode);
/* Is `name` one of the parts after the first? */
bool parts_have(const OpcodeModifiers *parts, const char *name);
/* Does a store or an atomic operation act as a fence as well, for threads of other blocks? */
bool parts_release(const OpcodeModifiers *parts);
/* FE_ constant of "rn", "rz", "rm", "rp"; -1 for anything else. */
int rounding_of(const char *part);
/* The type that a part names; PTX_NO_TYPE: none. */
PtxType type_part(const char *part);
/* The type that stands `from_end` parts before the last one. Refuses the instruction if that part names no type. */
PtxType last_type(Lowering *l, const OpcodeModifiers *parts, int from_end);

/* ==== virtual register ============================================================================================ */

/* The registers of a kernel while it is lowered. There can be any number of them; assign_slots()
 * maps them to the slots of the register file at the end. */

uint32_t bytes_of(Operand operand);
/* The base-2 logarithm of 1, 2, 4 or 8. */
uint32_t logarithm(uint32_t bytes);
/* A new register of 1 << size bytes; gives back its number. */
uint32_t new_virtual(Lowering *l, uint32_t size);
Operand temporary(Lowering *l, uint32_t bytes);
/* The register that holds a special register such as %tid.x, or a constant. Each launch or block sets it before the
 * code runs; the code only reads it. */
Operand special_register(Lowering *l, SpecialRegisterKind kind, int detail, uint64_t value, uint32_t bytes);
Operand constant(Lowering *l, uint64_t value, uint32_t bytes);

/* ==== basic block ================================================================================================= */

/* The current basic block, which receives the instructions, and the counts of what it does. */

/* Begins a new block and gives back its index. The current block falls through into it, unless end_block() has given it
 * another end. A current block that is still empty is used as the new one. */
int new_block(Lowering *l);
BasicBlock *current_block(Lowering *l);
/* Begins a block at whose start the lanes of a warp wait for each other, as before a .sync instruction. */
void join_warp(Lowering *l);
/* Counts the current PTX instruction in its block and in its source line. Once for each instruction. */
void count_instruction(Lowering *l);
/* Counts one operation of that class for the current PTX instruction. */
void count_class(Lowering *l, OpClass op_class);
/* Counts the current PTX instruction and one operation of class CONTROL. */
void count_control(Lowering *l);
/* Counts the request that the memory instruction makes for each warp, if it makes one on hardware. */
void count_request(Lowering *l, const Instruction *instruction);
/* Ends the current block under the guard of the current instruction, which is counted, and begins the next block. Gives
 * back the block that has ended, valid until the next block begins. */
BasicBlock *end_block(Lowering *l, BlockEnd ends);

#endif
