/* lower.h - shared by the files that turn PTX into code.h; nobody else includes it.
 *
 * lower.c             the walk over instructions, operands, emission
 * lower_arithmetic.c  arithmetic, comparisons, carries
 * lower_convert.c     conversions and moves
 * lower_memory.c      loads, stores, atomics, addresses
 * lower_texture.c     fetches from textures
 * lower_mbarrier.c    barriers in shared memory
 * lower_matrix.c      matrix instructions
 * lower_control.c     branches, calls (inlined), barriers, operations of a warp
 * targets.c           which parameters its stores go through
 * slots.c             from virtual registers to slots  */
#ifndef SIMGPU_LOWER_LOWER_H
#define SIMGPU_LOWER_LOWER_H

#include "simgpu/code/code.h"

#include <setjmp.h>

enum { MAX_PARTS = 16, MAX_CODE_INSTRUCTIONS = 200000 };

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

/* "ld.global.nc.f32" as "ld", "global", "nc", "f32". */
typedef struct Parts {
    const char *part[MAX_PARTS];
    int count;
} Parts;

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

/* ---- lower.c ----------------------------------------------------------------------------------------------------- */
__attribute__((noreturn)) void lower_refuse(Lowering *l, const char *what);
Parts parts_of(Lowering *l, const char *opcode);
bool parts_have(const Parts *parts, const char *name);
uint32_t new_virtual(Lowering *l, uint32_t size);
Operand temporary(Lowering *l, uint32_t bytes);
Operand constant(Lowering *l, uint64_t value, uint32_t bytes);
Operand pinned(Lowering *l, SpecialRegisterKind kind, int detail, uint64_t value, uint32_t bytes);
/* The value of an operand in a register of `bytes`. */
Operand source_operand(Lowering *l, const PtxOperand *operand, uint32_t bytes);
/* Its register, of whatever size. */
Operand register_operand(Lowering *l, const PtxOperand *operand);
/* The register to be written; a new one for '_'. */
Operand result_operand(Lowering *l, const PtxOperand *operand, uint32_t bytes);
Instruction *emit(Lowering *l, InstructionKind kind);
Instruction *emit_opcode(Lowering *l, Opcode opcode, Operand result, const Operand *sources, int count);
/* Emits the lane operation of that form. */
void emit_form(Lowering *l, const char *form, Operand result, Operand a, Operand b, Operand c);
/* Widens or narrows `from` into `result`, keeping what type `kept` holds. */
void emit_extend(Lowering *l, PtxType kept, Operand result, Operand from);
void emit_move(Lowering *l, Operand result, Operand value);
PtxType unsigned_type(uint32_t bytes);
/* Where the last instruction writes a register that it also reads, it writes another first: operations of a warp read
 * lanes after others were written. */
void keep_apart(Lowering *l);
/* Every PTX instruction is counted once, in its block and its source line, and so is every class of work it does. */
void count_instruction(Lowering *l);
void count_class(Lowering *l, OpClass op_class);
uint32_t bytes_of(Operand operand);
const PtxOperand *operand_at(Lowering *l, int index);
void lower_function(Lowering *l, Instance *instance);

/* ---- lower_arithmetic.c ------------------------------------------------------------------------------------------ */
/* Any opcode that has a row of its own. */
void lower_arithmetic(Lowering *l, const Parts *all_parts);
void lower_setp(Lowering *l, const Parts *parts);
void lower_set(Lowering *l, const Parts *parts);
/* add.cc, addc and their like, which has_carry() tells from the rest. */
void lower_carry(Lowering *l, const Parts *parts);
bool has_carry(const Parts *parts);
/* FE_ constant of "rn", "rz", "rm", "rp"; -1 for anything else. */
int rounding_of(const char *part);
/* The last part of an opcode, or one before it, which must be a type. */
PtxType last_type(Lowering *l, const Parts *parts, int from_end);
/* Emits `opcode` with its result in `result`, through a temporary where the register has another size. */
void emit_sized(Lowering *l, Opcode opcode, Operand result, const Operand *sources, int count, int rounding);
/* Clamps a value of that type in place: "+saturate" to [0, 1], "+relu" to [0, infinity); NULL: not at all. */
void emit_clamp(Lowering *l, const char *clamp, PtxType type, Operand value);

/* ---- lower_convert.c --------------------------------------------------------------------------------------------- */
void lower_cvt(Lowering *l, const Parts *parts);
void lower_mov(Lowering *l, const Parts *parts);

/* ---- lower_memory.c ---------------------------------------------------------------------------------------------- */
void lower_load(Lowering *l, const Parts *parts);
void lower_store(Lowering *l, const Parts *parts);
void lower_atomic(Lowering *l, const Parts *parts);
void lower_copy_async(Lowering *l, const Parts *parts);
void lower_convert_address(Lowering *l, const Parts *parts);
void lower_is_space(Lowering *l, const Parts *parts);
/* The address of a variable as a value in its own space. */
uint64_t variable_address(Lowering *l, const PtxVariable *variable);
/* Emit a load or store of 4 or 8 bytes in the frame, for arguments and results of calls. */
Operand emit_frame_load(Lowering *l, const PtxVariable *variable, uint32_t bytes);
void emit_frame_store(Lowering *l, const PtxVariable *variable, Operand value);
/* Gives every shared variable that the kernel can reach its offset. */
void place_shared(Lowering *l, const PtxFunction *kernel);
uint64_t place_in_frame(Lowering *l, Instance *instance, const PtxVariable *variable);

/* Emits one atomic operation on a 64-bit word of memory, whose old value goes to `result`; slot NO_SLOT: nowhere. */
void emit_word_atomic(Lowering *l, AtomicKind kind, const PtxOperand *address, PtxSpace space, Operand b,
                      Operand result);
void emit_word_load(Lowering *l, const PtxOperand *address, PtxSpace space, Operand result);
void emit_word_store(Lowering *l, const PtxOperand *address, PtxSpace space, Operand value);

/* The address of an operand as a 64-bit register that holds it whole. */
Operand whole_address(Lowering *l, const PtxOperand *address, PtxSpace space);
void count_request(Lowering *l, const Instruction *instruction);

/* ---- lower_texture.c --------------------------------------------------------------------------------------------- */
void lower_texture(Lowering *l, const Parts *parts);
void lower_gather(Lowering *l, const Parts *parts);

/* ---- lower_matrix.c ---------------------------------------------------------------------------------------------- */
/* True where the opcode is one of matrices; it has then been lowered. */
bool lower_matrix(Lowering *l, const Parts *parts);

/* ---- lower_mbarrier.c -------------------------------------------------------------------------------------------- */
void lower_mbarrier(Lowering *l, const Parts *parts);
/* cp.async.wait_group, cp.async.wait_all */
void lower_copy_wait(Lowering *l, const Parts *parts);
/* cp.async.mbarrier.arrive */
void lower_copy_arrival(Lowering *l, const Parts *parts);

/* ---- lower_control.c --------------------------------------------------------------------------------------------- */
/* True where the opcode is one of control or of a warp; it has then been lowered. */
bool lower_control(Lowering *l, const Parts *parts);
int new_block(Lowering *l);
/* Begins a block where the lanes of a warp wait for each other, as the hardware makes them do. */
void join_warp(Lowering *l);
Block *current_block(Lowering *l);
void bind_branches(Lowering *l, Instance *instance, int first_block);

/* ---- targets.c --------------------------------------------------------------------------------------------------- */
/* Fills in Code.targets. */
void find_targets(Lowering *l);

/* ---- slots.c ----------------------------------------------------------------------------------------------------- */
void assign_slots(Lowering *l);

#endif
