/* lowering.h - the state of one kernel while it is lowered from PTX to Code (code.h).
 *
 * The files of this folder hold what every kind of instruction needs; simgpu/lower holds the kinds.  */
#ifndef SIMGPU_LOWER_LOWERING_H
#define SIMGPU_LOWER_LOWERING_H

#include "base/arena.h"
#include "base/status.h"
#include "simgpu/code/code.h"
#include "simgpu/ptx/ptx.h"

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
    const PtxVariable **provenance; /* [register] the variable it points to (lowering.h) */
    const uint8_t *mentions;        /* [register] how often it is named */
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
    uint32_t first_mark;               /* registers from this one on are marks */
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
/* The same where PTX itself does not allow the instruction as it stands: ptxas would not take it, from any compiler. */
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
/* ROUND_ constant (half_math.h) of "rn", "rz", "rm", "rp"; -1 for anything else. */
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

/* ==== arithmetic ================================================================================================== */

/* Arithmetic: opcodes with a row in opcodes.def, comparisons, and carries. */

/* Any opcode that has a row in opcodes.def. */
void lower_arithmetic(Lowering *l, const OpcodeModifiers *all_parts);
void lower_setp(Lowering *l, const OpcodeModifiers *parts);
void lower_set(Lowering *l, const OpcodeModifiers *parts);
/* Opcodes that read or write the carry flag. */
void lower_carry(Lowering *l, const OpcodeModifiers *parts);
/* Is it add.cc, addc or the like? */
bool has_carry(const OpcodeModifiers *parts);

/* ==== conversions ================================================================================================= */

/* Conversions and moves. */

void lower_cvt(Lowering *l, const OpcodeModifiers *parts);
void lower_mov(Lowering *l, const OpcodeModifiers *parts);

/* ==== lower copy async ============================================================================================ */

/* Asynchronous copies from global to shared memory: cp.async. */

void lower_cp(Lowering *l, const OpcodeModifiers *parts);

/* ==== lower mbarrier ============================================================================================== */

void lower_mbarrier(Lowering *l, const OpcodeModifiers *parts);

/* ==== matrices ==================================================================================================== */

/* Matrix instructions. */

/* False where the opcode is not one of matrices; nothing has been emitted then. */
bool lower_matrix(Lowering *l, const OpcodeModifiers *parts);

/* ==== textures and surfaces ======================================================================================= */

/* Fetches from textures, loads and stores through surfaces. */

void lower_texture(Lowering *l, const OpcodeModifiers *parts);
void lower_gather(Lowering *l, const OpcodeModifiers *parts);
void lower_surface_load(Lowering *l, const OpcodeModifiers *parts);
void lower_surface_store(Lowering *l, const OpcodeModifiers *parts);

/* ==== provenance ================================================================================================== */

/* Which shared or local array, or which parameter, a pointer was made from.
 *
 * An access past the end of one array may hit the next one. To report it, the simulated GPU must know which array the
 * pointer belongs to. That is the array whose address went into the pointer by moves and arithmetic, if there is only
 * one on all paths through the code. Nothing is known where there are two, or where a pointer comes from memory or
 * from a caller. Loaded numbers of 32 bits are taken to be indices.
 *
 * Compilers put the local arrays of a function into one variable, __local_depot0, and do not say where each of them
 * lies. But nvcc and clang make the address of each by `add.u64 %rd1, %SP, 16`, from a register that holds that of the
 * variable, and use add.s64 or an offset for everything within an array. So one array ends where the next address is
 * made; padding between the two counts as part of it. A struct is one array here.
 *
 * A struct that is passed by value is read in parameter memory or from a copy in local memory. Such a copy is an array
 * whose first bytes are stored from the parameter's, and which has room for all of it (PtxVariable.copy_of); it is told
 * by the parameter's name.
 *
 * Source   LLVM, lib/Target/NVPTX/NVPTXInstrInfo.td: LEA_ADDRi64, which takes the address of an object of the frame. */

/* [register] the variable, shared, a parameter, local or a part of a local one, that the register points into, in the arena; NULL:
 * none, or not known. */
const PtxVariable **provenance_of_registers(const PtxFunction *function, Arena *arena);

/* ==== targets ===================================================================================================== */

/* From which pointer parameters and module variables a kernel makes the addresses of its accesses. So a
 * launch knows in advance which allocations it may change, and a message names the array that the source names.
 *
 * For every register, the analysis collects the set of parameters that go into it by moves and arithmetic, on any
 * path through the code. It does not follow pointers that come from memory, nor addresses of module variables: a
 * store through one of these may go anywhere. Loaded numbers of 32 bits are taken to be indices. */

/* Fills in Code.targets, and the origin of each access to global or constant memory. */
void find_targets(Lowering *l);

/* ==== unfenced products =========================================================================================== */

/* Finds wgmma on registers that the threads have written with no wgmma.fence in between.
 *
 * A wgmma may read its fragment of A and its sums before what the threads have written there arrives, unless a wgmma.fence
 * comes after the write. The first wgmma of a kernel needs one as well. Sums that another wgmma has set need none.
 *
 * Compilers move arithmetic and constants beyond the fence that stands behind them in the source, because the text of an
 * inline assembly tells them nothing. So what is computed only of values that were there before the fence counts as
 * computed before it. Loads, shuffles and atomic operations stay where they are. A fence on one path is taken to stand where
 * it is needed.
 *
 * Source   PTX ISA 9.0, Asynchronous Warpgroup Level Matrix Instructions: wgmma.fence. */

/* Puts a CHECK_FENCED in front of each such wgmma. Registers are still virtual. */
void mark_unfenced_products(Lowering *l);

/* ==== unwaited products =========================================================================================== */

/* Finds instructions that take the sums of a wgmma before it has been waited for.
 *
 * A wgmma sets its registers at any time until a wgmma.wait_group waits for its group. Only another wgmma that adds to the
 * same sums may take them before. What is found is so on every path that leads there: on hardware a use that comes too early
 * on one path alone is undefined as well, but a path that the code shows need not be one that a thread can take.
 *
 * Source   PTX ISA 9.0, Asynchronous Warpgroup Level Matrix Instructions: wgmma.mma_async, wgmma.wait_group. */

/* Puts a CHECK_WAITED in front of each such instruction. Registers are still virtual. */
void mark_unwaited_products(Lowering *l);

/* ==== unset registers ============================================================================================= */

/* Finds uses of registers that the kernel has not set.
 *
 * A register may be unset where some path from the kernel's entry reaches a use of it and does not assign it. Often no
 * thread takes that path, or the value is thrown away afterwards. So each such register, and each one that is computed
 * from it, gets a mark: a register of 32 bits that is zero where the value is defined. Marks are computed by ordinary
 * lane operations, and a CHECK_SET looks at them where a value leaves the registers: as an address, as a value that is
 * stored or handed to other lanes, or as the condition of a branch. Most kernels have no such registers, and stay as
 * they are.
 *
 * nvcc may also replace an unset float that it adds or multiplies by the constant NaN. A lane operation that takes NaN
 * as a constant is a use of an unset variable, because nvcc computes a NaN that the source contains by itself.
 *
 * Not found  What nvcc decides for itself: it may assume any value for an unset variable, and remove what depends on
 *            it. Marks do not follow values through memory, and an operation counts as using all its sources, except
 *            for selections and for `and` and `or` of predicates. */

/* Adds marks and checks to the code, and fills in Code.unset. Unset registers get the byte that fills memory which
 * nothing has written. */
void mark_unset_registers(Lowering *l);

/* ==== slots ======================================================================================================= */

/* Assigns slots of the register file to the virtual registers. */

/* Replaces the virtual registers in all operands of the code, and fills in Code.slot_count, unit_bytes and
 * live_registers. */
void assign_slots(Lowering *l);

/* ==== unused bytes ================================================================================================ */

/* Finds the bytes of a load that the kernel does not use.
 *
 * Of three neighbouring floats that a kernel reads, nvcc makes one load of four, and tells by a pragma that the last one
 * is not used. A kernel that loads a float4 itself may not use all of it either: then a register of the result is named
 * nowhere else. */

/* [register] how often the function names it, where 2 stands for any number above 1; in the arena. */
const uint8_t *mentions_of_registers(const PtxFunction *function, Arena *arena);
/* Of the current instruction, which loads `count` elements of `bytes` each: a bit for each byte. Where no byte at all is
 * used the result is 0, because the compiler keeps such a load only where the source asks for it, as with volatile. */
uint32_t unused_bytes(const Lowering *l, int count, uint32_t bytes);

/* ==== used results ================================================================================================ */

/* Finds the atomic operations whose old value is used. */

/* Fills in Instruction.uses_result. nvcc writes atom for atomicAdd() whether the old value is used or not. */
void mark_used_results(Lowering *l);

/* ==== certain work ================================================================================================ */

/* Counts what machine code has to do, whatever a compiler makes of the PTX.
 *
 * An operation that makes of loaded data a value that is stored can be neither computed in advance nor left out. What makes
 * addresses, conditions and loop counters can: compilers fold it into accesses and share it between the copies of a loop.
 * So values are followed backwards from what is stored, added atomically, handed to other lanes or multiplied as a
 * matrix, and data is followed forwards from what is loaded; an operation counts where both meet. Moves, signs, conversions
 * between integers, operations with a constant or under a condition do not count: they may become a part of another
 * instruction. Values in local memory are not followed. Accesses count by themselves. */

/* Fills in BasicBlock.certain. Registers are still virtual. */
void count_certain_work(Lowering *l);

/* ==== check registers ============================================================================================= */

/* Refuses the kernel if an instruction reads or writes more or fewer bytes of a register than it has. emit/operand.h
 * lets no operand of PTX come to that; this catches a mistake of simgpu/lower itself, for which the engines, that trust
 * the sizes, would read and write other registers. The message then holds REGISTER_MISUSE. */
void check_registers(Lowering *l);

#define REGISTER_MISUSE "a register of another size than its operation's"

/* ==== emit ======================================================================================================== */

/* Appends instructions to the current basic block. */

enum { MAX_CODE_INSTRUCTIONS = 200000 };

/* An instruction with the guard and the source line of the current PTX instruction. The pointer is valid until the next
 * instruction is emitted. */
Instruction *emit(Lowering *l, InstructionKind kind);
Instruction *emit_opcode(Lowering *l, Opcode opcode, Operand result, const Operand *sources, int count);
/* The lane operation with that form in opcodes.def. Sources that it does not have are no_operand. */
void emit_form(Lowering *l, const char *form, Operand result, Operand a, Operand b, Operand c);
/* Widens or narrows `from` to the size of `result`. The value that `kept` can hold is preserved: it is sign- or
 * zero-extended from the size of that type. */
void emit_extend(Lowering *l, PtxType kept, Operand result, Operand from);
/* Both have the same size. */
void emit_move(Lowering *l, Operand result, Operand value);
/* .u16, .u32 or .u64 */
PtxType unsigned_type(uint32_t bytes);
/* If the last instruction writes a register that it also reads, makes it write a temporary that is moved afterwards.
 * Operations of a warp read the sources of some lanes after they have written the results of others. */
void separate_results_from_sources(Lowering *l);
/* Clamps a value of that type in place: "+saturate" to [0, 1], "+relu" to [0, infinity); NULL: does nothing. */
void emit_clamp(Lowering *l, const char *clamp, PtxType type, Operand value);
/* `opcode` with its result in `result`, by way of a temporary if that register has another size. `rounding` is a ROUND_
 * constant. */
void emit_sized(Lowering *l, Opcode opcode, Operand result, const Operand *sources, int count, int rounding);

#endif
