/* code.h - a kernel as the interpreter runs it: basic blocks of decoded instructions over register slots.
 *
 * Register file   one worker runs one block of threads at a time. A slot holds one value per lane of the block; the
 *                 register file is capacity * unit_bytes long, and the slot at `unit` begins at capacity * unit. Slots
 *                 are shared by virtual registers that are never alive together.
 * Pinned slots    constants and special registers keep slots of their own and are written once per launch or block.
 * Program counter the index of a basic block. Lanes leave and rejoin each other only between blocks.
 * Micro-operations one PTX instruction may become several; each block knows how many PTX instructions it holds.  */
#ifndef SIMGPU_CODE_CODE_H
#define SIMGPU_CODE_CODE_H

#include "base/arena.h"
#include "simgpu/code/lanes.h"
#include "simgpu/ptx/ptx.h"

enum { NO_SLOT = 0xFFFFFFFF };

/* Where the other state spaces lie in the generic address space, each up to 4 GiB long. */
#define SHARED_WINDOW (1ull << 32)
#define LOCAL_WINDOW (2ull << 32)
#define PARAM_WINDOW (3ull << 32)
#define WINDOWS_END (4ull << 32)

/* The space whose window a generic address lies in; PTX_NO_SPACE: none's, so that it is global. */
static inline PtxSpace space_at(uint64_t address)
{
    switch (address / SHARED_WINDOW) {
    case 1: return PTX_SHARED;
    case 2: return PTX_LOCAL;
    case 3: return PTX_PARAM;
    default: return PTX_NO_SPACE;
    }
}

typedef struct Operand {
    uint32_t slot;      /* NO_SLOT: none. While lowering: the virtual register */
    uint32_t unit : 28; /* bytes of one lane in all slots before this one */
    uint32_t size : 4;  /* logarithm of the bytes of a lane */
} Operand;

typedef enum InstructionKind {
    RUN_LANES, /* results[0] = opcode(sources[0..3]) */
    SLOW_PATH, /* none: what comes next, of sources[0..1], may take more instructions than it seems (slow_path.c) */
    LOAD_PARAMETER, /* results[0] = the parameter at `offset`: the same for all */
    LOAD,
    STORE,           /* results[0..count-1], or sources[1..count], at address sources[0] + offset */
    ATOMIC,          /* results[0] = old value; sources: address, b, c */
    COPY_ASYNC,      /* sources: shared address, global address, bytes read of the second */
    TEXTURE,         /* results: the channels, or the four texels of a gather; sources: handle, `count` coordinates */
    COPY_COMMIT,     /* copies of a thread become a group; */
    COPY_WAIT,       /* all but the last `detail` groups have arrived */
    SHUFFLE,         /* results: value, predicate; sources: value, lane, clamp, members */
    VOTE,            /* results[0]; sources: predicate, members */
    MATCH,           /* results: mask, predicate; sources: value, members */
    REDUCE,          /* results[0]; sources: value, members */
    ACTIVE_MASK,     /* results[0] */
    CLOCK,           /* results[0] */
    BARRIER,         /* none: where the barrier of all threads stands that ends the block */
    PRINT,           /* results[0]; sources: format, arguments */
    FAIL_ASSERT,     /* sources: message, file, line, function */
    MULTIPLY_MATRIX, /* all operands are those of `matrix` */
    LOAD_MATRIX,     /* results[0..count-1]: 8x8 matrices of 16 bits, rows at shared address sources[0] + offset */
    STORE_MATRIX,    /* the same of sources[1..count] */
    TRANSPOSE_MATRIX /* results[0] = sources[0], an 8x8 matrix, transposed */
} InstructionKind;

typedef enum AtomicKind {
    ATOMIC_ADD,
    ATOMIC_FLOAT_ADD,
    ATOMIC_F16_ADD,
    ATOMIC_BF16_ADD,
    ATOMIC_INC,
    ATOMIC_DEC,
    ATOMIC_MIN,
    ATOMIC_MAX,
    ATOMIC_EXCHANGE,
    ATOMIC_COMPARE,
    ATOMIC_AND,
    ATOMIC_OR,
    ATOMIC_XOR,
    ATOMIC_ARRIVE,
    ATOMIC_ARRIVE_DROP /* at an mbarrier (lower_mbarrier.c) */
} AtomicKind;
typedef enum SlowPathKind { SLOW_DIVISION, SLOW_RECIPROCAL, SLOW_ROOT } SlowPathKind;
typedef enum ShuffleKind { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BUTTERFLY, SHUFFLE_INDEX } ShuffleKind;
typedef enum VoteKind { VOTE_ALL, VOTE_ANY, VOTE_UNIFORM, VOTE_BALLOT } VoteKind;

enum { MAX_RESULTS = 4, MAX_SOURCES = 5 };

typedef struct Matrix Matrix; /* matrix.h */

typedef struct SharedVariable {
    struct SharedVariable *next;
    const char *name;
    uint64_t offset, bytes; /* of an unsized one 0: it reaches to the end */
} SharedVariable;

typedef struct Instruction {
    uint8_t kind;        /* InstructionKind */
    uint8_t detail;      /* AtomicKind, ShuffleKind, VoteKind, SlowPathKind;
                             * of MATCH: 1 for .all; of COPY_ASYNC: bytes;
                             * of COPY_WAIT: groups;
                             * of TEXTURE: 1 + the channel that is gathered, 0: none is;
                             * of CLOCK: 1 for nanoseconds;
                             * of LOAD_MATRIX and STORE_MATRIX: 1 for .trans */
    uint8_t space;       /* PtxSpace of a memory access; PTX_NO_SPACE: generic */
    uint8_t size;        /* logarithm of the bytes of a memory element */
    uint8_t count;       /* elements of a vector access; coordinates of TEXTURE */
    bool is_signed;      /* of a memory element, of ATOMIC_MIN and _MAX, and of REDUCE; TEXTURE: whole coordinates */
    bool negates_source; /* vote.all !p */
    bool guard_negated;
    uint8_t rounding;     /* FE_ constant over 256: 0 is to nearest; see rounding_mode() */
    bool is_hidden;       /* an access that no hardware would do (arguments of calls): not counted */
    bool is_merged;       /* a load that another one counts for; both as merged_loads.h says */
    uint8_t merged_bytes; /* a lane, of the machine's load that this one counts for; 0: of this one alone */
    bool uses_result;     /* of ATOMIC: something is done with the old value */
    bool is_strong;       /* volatile, relaxed, acquire, release: meant to meet those of other threads */
    uint16_t opcode;
    Operand guard; /* lanes in which it is false do nothing */
    LaneFunction *run;
    Operand results[MAX_RESULTS];
    Operand sources[MAX_SOURCES];
    Matrix *matrix;                 /* of MULTIPLY_MATRIX */
    int64_t offset;                 /* of an address or a parameter */
    const SharedVariable *variable; /* that the shared address was made from (provenance.h); NULL: not known */
    int32_t index;                  /* of memory instructions, shuffles and barriers: dense number, for what a worker
                             * remembers of it */
    int32_t file, line;             /* in the source */
    int32_t ptx_line;
} Instruction;

typedef enum BlockEnd {
    END_FALL,    /* into the next block */
    END_BRANCH,  /* to `target` where the guard holds, else to the next block */
    END_INDEXED, /* to targets[index] */
    END_EXIT,    /* where the guard holds; others go on */
    END_BARRIER, /* then to the next block */
    END_TRAP
} BlockEnd;

typedef enum BarrierKind { BARRIER_SYNC, BARRIER_ARRIVE, BARRIER_POPC, BARRIER_AND, BARRIER_OR } BarrierKind;

typedef struct BasicBlock {
    int32_t first, end; /* instructions */
    uint8_t ends;       /* BlockEnd */
    uint8_t barrier;    /* BarrierKind */
    bool guard_negated;
    bool negates_source; /* bar.red with !p */
    bool joins;          /* begins with a .sync operation: lanes of a warp wait for each other here */
    bool waits;          /* for what other lanes do: a loop over it lets others run at once */
    int32_t target;
    const int32_t *targets; /* of END_INDEXED */
    int32_t target_count;
    Operand guard;
    Operand index;          /* of END_INDEXED; of END_BARRIER: its number */
    Operand threads;        /* of END_BARRIER: how many, slot NO_SLOT: all of the block */
    Operand source, result; /* of a bar.red */
    int32_t file, line;     /* of its end */
    uint32_t instructions;  /* PTX instructions, the end included */
    uint32_t classes[OP_CLASSES];
    uint32_t loads, shared_loads, constant_loads; /* requests of a warp that runs it: for the longest warp */
} BasicBlock;

/* What a basic block holds of one source line. */
typedef struct BlockLine {
    int32_t block, file, line;
    uint32_t instructions; /* PTX instructions */
    uint32_t divisions;    /* of them integer divisions and remainders, which hardware composes of many instructions */
    uint32_t classes[OP_CLASSES];
} BlockLine;

typedef enum SpecialRegisterKind {
    SPECIAL_CONSTANT,
    SPECIAL_TID,
    SPECIAL_NTID,
    SPECIAL_CTAID,
    SPECIAL_NCTAID,
    SPECIAL_LANE,
    SPECIAL_WARP,
    SPECIAL_WARPS,
    SPECIAL_LANEMASK,
    SPECIAL_DYNAMIC_SHARED,
    SPECIAL_TOTAL_SHARED,
    SPECIAL_MULTIPROCESSOR,
    SPECIAL_MULTIPROCESSORS
} SpecialRegisterKind;

typedef struct SpecialRegister {
    SpecialRegisterKind kind;
    int detail;     /* axis; of LANEMASK: "eq", "le", "lt", "ge", "gt" by number */
    uint64_t value; /* of a constant */
    Operand operand;
} SpecialRegister;

typedef struct CodeLine {
    int32_t ptx_line, block; /* a line of PTX, and the basic block that executes it */
    int32_t access;          /* Instruction.index of its access to memory, if it is one */
} CodeLine;

#define UNKNOWN_TARGET (1ull << 63)

typedef struct Code {
    Arena arena;
    Instruction *instructions;
    int instruction_count;
    BasicBlock *blocks;
    int block_count;
    BlockLine *block_lines; /* in the order of the blocks; together they hold what the blocks do */
    int block_line_count;
    CodeLine *lines; /* [line_count] in the order of lowering: a line of a function called twice stands twice */
    int line_count;
    SpecialRegister *pinned;
    int pinned_count;
    uint32_t slot_count, unit_bytes; /* bytes of one lane in all slots */
    int memory_count;                /* memory instructions: bound of Instruction.index */
    uint32_t live_registers;         /* most 32-bit registers alive at once: an estimate of what ptxas needs */
    uint32_t shared_bytes;           /* static */
    uint32_t dynamic_shared_offset;  /* where extern .shared begins */
    SharedVariable *shared;
    uint32_t local_bytes; /* declared .local */
    uint32_t frame_bytes; /* with the arguments of calls */
    bool reads_clock;
    uint64_t targets; /* of stores and atomic operations in global memory: bit i stands for the parameter of 64 bits
                              * at offset 8 i, from which their addresses are made; UNKNOWN_TARGET: of one at least from
                              * something else */
} Code;

void code_free(Code *code);

/* The blocks that block `number` may lead to, for index 0, 1, ...: -1 where that one does not exist, -2: no more. Index
 * 0 is the next block. */
int code_successor(const Code *code, int number, int index);

#endif
