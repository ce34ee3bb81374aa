/* code.h - a kernel as the engine executes it: basic blocks of decoded instructions over register slots.
 *
 * Register file   A worker runs one block of threads at a time. A slot holds one value for each lane of the block. The
 *                 register file is capacity * unit_bytes long, and the slot at `unit` begins at capacity * unit.
 *                 Virtual registers that are never alive together share a slot.
 * Special slots   Constants and special registers keep slots of their own, and are written once per launch or block.
 * Program counter The index of a basic block. Lanes part and meet only between basic blocks.
 * Micro-operations  One PTX instruction may become several instructions here; each basic block knows how many PTX
 *                 instructions it holds.
 *
 * What an InstructionKind does stands in its row of instructions.def, where kinds are added.  */
#ifndef SIMGPU_CODE_CODE_H
#define SIMGPU_CODE_CODE_H

#include "base/arena.h"
#include "simgpu/code/lanes.h"
#include "simgpu/ptx/ptx.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NO_SLOT = 0xFFFFFFFF };

/* Where the state spaces other than global memory lie in the generic address space, up to 4 GiB each. */
#define SHARED_WINDOW (1ull << 32)
#define LOCAL_WINDOW (2ull << 32)
#define PARAM_WINDOW (3ull << 32)
#define WINDOWS_END (5ull << 32) /* FUNCTION_WINDOW (ptx.h) is the last one */

/* The shared memory of block r of the cluster lies at (r + 1) << CLUSTER_SHIFT in the window of shared memory. Below
 * 1 << CLUSTER_SHIFT lies that of the block itself. */
enum { CLUSTER_SHIFT = 24, MAX_CLUSTER = 16 };

/* The space whose window a generic address lies in; PTX_NO_SPACE: in none, so that the address is global. */
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
#define INSTRUCTION(KIND, ...) KIND,
#include "simgpu/code/instructions.def"
#undef INSTRUCTION
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
    ATOMIC_ARRIVE, /* at an mbarrier (see below), as are the next three */
    ATOMIC_ARRIVE_DROP,
    ATOMIC_EXPECT_BYTES,
    ATOMIC_COMPLETE_BYTES
} AtomicKind;
typedef enum BulkKind { BULK_LOAD, BULK_STORE, BULK_TO_CLUSTER, BULK_PREFETCH } BulkKind;
typedef enum ProxyFenceKind { PROXY_SHARED, PROXY_GLOBAL, PROXY_ALL } ProxyFenceKind;
enum { REGISTER_UNIT = 8 }; /* setmaxnreg counts registers of a thread in these */
typedef enum GridControlKind { GRID_WAIT, GRID_RELEASE } GridControlKind; /* .wait, .launch_dependents */
enum { BULK_OWN_BLOCK = 1 << MAX_CLUSTER };
enum { LOAD_MBARRIER = 1 };
enum { DESCRIBED_A = 1, DESCRIBED_TURNED = 2 }; /* the matrix is A, else B; its rows run along m or n, else along k */
typedef enum SlowPathKind { SLOW_DIVISION, SLOW_RECIPROCAL, SLOW_ROOT } SlowPathKind;
typedef enum ShuffleKind { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BUTTERFLY, SHUFFLE_INDEX } ShuffleKind;
/* What becomes of an access that does not lie within its surface. */
typedef enum SurfaceMode {
    SURFACE_TRAP,  /* it is a fault */
    SURFACE_CLAMP, /* it goes to the nearest place within */
    SURFACE_ZERO   /* a load gives zeros, a store does nothing */
} SurfaceMode;
typedef enum VoteKind { VOTE_ALL, VOTE_ANY, VOTE_UNIFORM, VOTE_BALLOT } VoteKind;

enum { MAX_RESULTS = 4, MAX_SOURCES = 5 };

typedef struct Matrix Matrix; /* matrix_fragment.h */

/* From what an address is made, on any path through the code (lowering.h). */
typedef struct Origin {
    uint64_t
        parameters; /* bit i: the parameter of 64 bits at offset 8 i; UNKNOWN_TARGET: something that is not followed */
    uint64_t constant; /* a constant that may be the address of a module variable; 0: none, UINT64_MAX: several */
} Origin;

#define UNKNOWN_TARGET (1ull << 63)

/* A variable in shared memory, in the frame of a thread, which is local memory, or among the kernel's parameters. */
typedef struct WindowVariable {
    struct WindowVariable *next;
    PtxSpace space;
    const char *name;       /* NULL: compilers do not name local arrays */
    uint32_t parameter;     /* number, from 1, of the parameter that it is or that was copied there; 0: none */
    uint64_t offset, bytes; /* bytes 0: unsized, it reaches to the end of shared memory */
} WindowVariable;

/* Which level of a mipmapped texture is read. */
typedef enum TextureLevel {
    LEVEL_FIRST,
    LEVEL_OF_SOURCE, /* the last source */
    LEVEL_OF_GRADIENT
} TextureLevel;

typedef struct Instruction {
    uint8_t kind;        /* InstructionKind */
    uint8_t detail;      /* AtomicKind, ShuffleKind, VoteKind, SlowPathKind;
                             * of MATCH: 1 for .all; of COPY_ASYNC: bytes;
                             * of LOAD: LOAD_MBARRIER where a thread waits;
                             * of COPY_WAIT, BULK_WAIT and PRODUCT_WAIT: groups; of BULK_COPY: BulkKind;
                             * of TEXTURE: 1 + the channel that is gathered, 0: none is;
                             * of SURFACE: SurfaceMode;
                             * of CLOCK: 1 for nanoseconds;
                             * of LOAD_WGMMA_TILE: DESCRIBED_A | DESCRIBED_TURNED;
                             * of LOAD_MATRIX and STORE_MATRIX: 1 for .trans */
    uint8_t space;       /* PtxSpace of a memory access; PTX_NO_SPACE: generic */
    uint8_t size;        /* logarithm of the bytes of a memory element; of SURFACE: of the whole access */
    uint8_t count;       /* elements of a vector access; coordinates of TEXTURE and SURFACE, without the layer;
                             * matrices of LOAD_ and STORE_MATRIX;
                             * of BULK_COPY: 1 + the AtomicKind that combines elements with those in memory, 0: none */
    uint8_t dimensions;  /* of BULK_COPY through a tensor map, else 0 */
    bool is_signed;      /* of a memory element, of ATOMIC_MIN and _MAX, and of REDUCE; TEXTURE: whole coordinates */
    bool is_layered;     /* TEXTURE and SURFACE: the last source is a layer, or the one before a level */
    bool stores;         /* SURFACE: the element is stored; else it is loaded */
    bool negates_source; /* vote.all !p */
    bool guard_negated;
    uint8_t rounding; /* ROUND_ constant (half_math.h) */
    bool is_hidden;   /* an access that hardware would not make (arguments of calls): it is not counted. Or a part of a
                           * wgmma, which may take its sums */
    bool is_merged;   /* another load counts for this one (pattern.h) */
    uint8_t merged_bytes; /* bytes per lane of the machine's load that this one counts for; 0: it counts for itself */
    bool uses_result;     /* of ATOMIC: the kernel uses the old value */
    bool is_release;      /* of STORE and ATOMIC: the kernel asks for a fence in front of it, for other blocks */
    bool signals_copies;  /* of ATOMIC_ARRIVE: the end of the thread's asynchronous copies arrives */
    bool is_strong;       /* volatile, relaxed, acquire, release: it cannot race (PTX ISA, Memory Consistency Model) */
    uint8_t level;        /* TEXTURE: TextureLevel */
    bool skips_l1;        /* of LOAD: the L2 serves it even where the L1 holds the line */
    bool is_read_only;    /* of LOAD: ld.global.nc, whose cache does not see what the launch stores */
    uint16_t opcode;
    Operand guard; /* predicate; lanes in which it is false do nothing */
    LaneFunction *run;
    Operand results[MAX_RESULTS];
    Operand sources[MAX_SOURCES];
    Matrix *matrix;                 /* of MULTIPLY_MATRIX */
    int64_t offset;                 /* of an address or a parameter */
    const WindowVariable *variable; /* from which the address was made (lowering.h); NULL: not known */
    Origin origin;                  /* of the address of an access to global or constant memory */
    uint32_t unused_bytes; /* of LOAD: a bit for each byte of a lane that the kernel does not use. Hardware reads
                                     * them all the same, but nothing depends on them, so that they may lie outside of
                                     * an array */
    int32_t index;         /* number among the memory instructions, shuffles and barriers; -1: it is none.
                                     * Indexes what a worker remembers of each */
    int32_t file, line;    /* in the source */
    int32_t ptx_line;
} Instruction;

/* The bytes that one lane loads or stores. */
static inline uint32_t lane_bytes(const Instruction *access)
{
    return (uint32_t)access->count << access->size;
}

/* The variable of that space from which the address was made; NULL: not known. */
static inline const WindowVariable *variable_in(const Instruction *instruction, PtxSpace space)
{
    const WindowVariable *variable = instruction->variable;
    return variable != NULL && variable->space == space ? variable : NULL;
}

typedef enum BlockEnd {
    END_FALL,    /* to the next basic block */
    END_BRANCH,  /* to `target` where the guard holds, else to the next basic block */
    END_INDEXED, /* to targets[index] */
    END_EXIT,    /* lanes in which the guard holds exit; the others go to the next basic block */
    END_BARRIER, /* waits at a barrier, then goes to the next basic block */
    END_CLUSTER, /* waits at the barrier of the cluster where the guard holds, then goes to the next basic block */
    END_TRAP,    /* where the guard holds, else to the next basic block */
    END_CALL,    /* to the start of a procedure, which returns to the next basic block */
    END_RETURN   /* where the guard holds, to the block after the call, else to the next basic block */
} BlockEnd;

/* An argument, result or parameter, in the frame of its function. */
typedef struct CallArgument {
    uint32_t offset, bytes;
} CallArgument;

typedef struct CallArguments {
    CallArgument *results, *parameters;
    int result_count, parameter_count;
} CallArguments;

/* The call at the end of a basic block. */
typedef struct CallSite {
    int32_t procedure;       /* -1: the one whose address BasicBlock.index holds */
    CallArguments arguments; /* in the frame of the caller */
    Operand *saved;          /* [saved_count] registers that are needed after the call */
    int saved_count;
} CallSite;

/* A device function that is called, because it calls itself or a pointer leads to it. All others are inlined. */
typedef struct Procedure {
    const char *name;        /* as the programmer wrote it */
    const char *symbol;      /* mangled */
    uint64_t address;        /* that pointers to it hold */
    int32_t entry;           /* its first basic block */
    uint32_t frame_bytes;    /* of local memory that a call takes in this code */
    uint32_t stack_bytes;    /* of the stack that a call takes on hardware; simgpu sets it */
    CallArguments arguments; /* in its frame */
} Procedure;

/* Operations that no compiler can leave out (lowering.h, certain work), by how many of them one machine instruction may be. */
typedef enum CertainKind {
    CERTAIN_ACCESS,  /* of global memory, a store into shared memory, an atomic operation: one */
    CERTAIN_SPECIAL, /* functions of the special unit: one */
    CERTAIN_FLOAT,   /* additions and multiplications of float32: two, a multiply-add */
    CERTAIN_OTHER,   /* on integers and bits, comparisons, conversions, loads from shared memory: four */
    CERTAIN_KINDS
} CertainKind;

typedef enum BarrierKind { BARRIER_SYNC, BARRIER_ARRIVE, BARRIER_POPC, BARRIER_AND, BARRIER_OR } BarrierKind;

typedef struct BasicBlock {
    int32_t first, end; /* instructions [first, end) */
    uint8_t ends;       /* BlockEnd */
    uint8_t barrier;    /* BarrierKind */
    bool guard_negated;
    bool negates_source; /* bar.red with !p */
    bool joins;          /* begins with a .sync operation: the lanes of a warp wait here for each other */
    bool waits;          /* for others, until `source` holds: after each turn of a loop over it, others run first */
    int32_t target;
    const int32_t *targets; /* of END_INDEXED */
    int32_t target_count;
    Operand guard;
    CallSite *call;         /* of END_CALL, else NULL */
    Operand index;          /* of END_INDEXED; of END_BARRIER: its number; of END_CALL: the function's address */
    Operand threads;        /* of END_BARRIER: how many it waits for; slot NO_SLOT: all of the block */
    Operand source, result; /* of a bar.red; `source` also of a block that waits, NO_SLOT: it never holds */
    int32_t file, line;     /* of its end */
    uint32_t instructions;  /* PTX instructions, with the one that ends it */
    uint32_t classes[OP_CLASSES];
    uint32_t loads, shared_loads, constant_loads; /* requests of a warp that runs it, for SimWarpPath */
    uint32_t certain[CERTAIN_KINDS];              /* beside multiply-adds */
    uint32_t work; /* machine instructions of a warp that runs it; without machine code, those of PTX */
} BasicBlock;

/* What a basic block holds of one source line. */
typedef struct BlockLine {
    int32_t block, file, line;
    uint32_t instructions;    /* PTX instructions */
    uint32_t divisions;       /* integer divisions and remainders among them, each many instructions on hardware */
    uint32_t float_divisions; /* of float32 that round as IEEE 754 requires, likewise */
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
    SPECIAL_MULTIPROCESSORS,
    SPECIAL_WORKSPACE,     /* half of the address of the workspace of a cooperative launch */
    SPECIAL_UNWRITTEN,     /* what memory holds that nothing has written */
    SPECIAL_CLUSTER_CTAID, /* of the block in its cluster */
    SPECIAL_CLUSTER_NCTAID,
    SPECIAL_CLUSTERID,
    SPECIAL_NCLUSTERID,
    SPECIAL_CLUSTER_RANK,
    SPECIAL_CLUSTER_RANKS,
    SPECIAL_IS_CLUSTER
} SpecialRegisterKind;

typedef struct SpecialRegister {
    SpecialRegisterKind kind;
    int detail;     /* axis; of LANEMASK: 0 to 4 for "eq", "le", "lt", "ge", "gt"; of WORKSPACE: the shift */
    uint64_t value; /* of a constant */
    Operand operand;
} SpecialRegister;

typedef struct CodeLine {
    int32_t ptx_line, block; /* a line of PTX, and the basic block that executes it */
    int32_t place;           /* of the instruction on its line, which may hold several: 0, 1, 2 ... */
    int32_t access;          /* Instruction.index of its access to memory; -1: it has none */
} CodeLine;

/* A place in the source. */
typedef struct SourcePlace {
    int32_t file, line;
} SourcePlace;

enum { MAX_UNSET = 32 }; /* bits of a mark */

typedef struct Code {
    Arena arena;
    Instruction *instructions;
    int instruction_count;
    BasicBlock *blocks;
    int block_count;
    BlockLine *block_lines; /* by basic block; their sums are what the basic blocks hold */
    int block_line_count;
    CodeLine
        *lines; /* [line_count] in the order of lowering; a line of a function that is called twice appears twice */
    int line_count;
    SpecialRegister *special_registers;
    int special_register_count;
    uint32_t slot_count, unit_bytes; /* bytes of one lane in all slots */
    int memory_count;                /* bound of Instruction.index */
    uint32_t *live;                  /* [instruction_count] 32-bit registers that hold values there */
    uint32_t live_registers;         /* most 32-bit registers alive at once: an estimate of what ptxas needs */
    uint32_t shared_bytes;           /* static */
    uint32_t dynamic_shared_offset;  /* where extern .shared begins */
    WindowVariable *shared;
    Procedure *procedures; /* [procedure_count] */
    int procedure_count;
    uint32_t stack_bytes, least_stack; /* of the kernel on hardware; of it and of all calls whose depth is known */
    uint32_t local_bytes;              /* declared .local */
    uint32_t frame_bytes; /* of a lane: local_bytes and the arguments of calls, without those of procedures */
    bool reads_clock;
    SourcePlace unset[MAX_UNSET]; /* where variables are used that may not have been set */
    int unset_count;
    bool uses_heap;    /* calls malloc() or free() */
    bool uses_cluster; /* it may wait for, or look into, other blocks of its cluster */
    uint64_t targets; /* from what the addresses of stores and atomic operations in global memory are made: bit i stands
                       * for the parameter of 64 bits at offset 8 i; UNKNOWN_TARGET: at least one from something else */
} Code;

void code_free(Code *code);

/* The basic blocks to which block `number` may lead, for index 0, 1, ...: -1 where there is none of that index, -2
 * where there are no more. Index 0 is the next block. */
int code_successor(const Code *code, int number, int index);

/* ==== warp ======================================================================================================== */

/* How many lanes a warp has, on every GPU that there is. */

enum { SIM_WARP_SIZE = 32 };

/* ==== atomic value ================================================================================================ */

/* What an atomic operation makes of the word `old` of 2^size bytes. */
uint64_t atomic_value(AtomicKind kind, uint32_t size, bool is_signed, uint64_t old, uint64_t b, uint64_t c);

/* ==== mbarrier word =============================================================================================== */

/* The 64-bit word of shared memory that is an mbarrier.
 *
 * Programs never look inside the word. Here, bits 0 to 19 count the arrivals that are still pending in this phase, bits
 * 20 to 40 the bytes of asynchronous copies that are still pending (a number with a sign: a copy may end before its bytes
 * are expected), bits 41 to 60 hold the arrivals that each phase expects, and bit 63 is the parity of the phase. A phase
 * ends when neither arrivals nor bytes are pending. Bits 61 and 62 tell an mbarrier from memory that nobody has initialised,
 * whose bytes are mostly others.
 *
 * Source   PTX ISA 9.0, Parallel Synchronization and Communication Instructions: mbarrier; its ranges are those of
 *          "Contents of the mbarrier object". */

enum { MBARRIER_BYTES_SHIFT = 20, MBARRIER_EXPECTED_SHIFT = 41 };

#define MBARRIER_COUNT 0xFFFFFull
#define MBARRIER_BYTES 0x1FFFFFull
#define MBARRIER_PARITY (1ull << 63)
#define MBARRIER_MARK (1ull << 61)

static inline bool mbarrier_is_set(uint64_t word)
{
    return (word >> 61 & 3) == 1;
}

/* The word after `arrivals`, when `bytes` more are pending. `drops`: the arrivals are not expected in later phases. */
static inline uint64_t mbarrier_after(uint64_t word, uint64_t arrivals, int64_t bytes, bool drops)
{
    uint64_t expected = ((word >> MBARRIER_EXPECTED_SHIFT) - (drops ? arrivals : 0)) & MBARRIER_COUNT;
    uint64_t pending = (word - arrivals) & MBARRIER_COUNT;
    uint64_t left = ((word >> MBARRIER_BYTES_SHIFT) + (uint64_t)bytes) & MBARRIER_BYTES;
    bool ends = pending == 0 && left == 0;
    uint64_t parity = (ends ? ~word : word) & MBARRIER_PARITY;
    return parity | MBARRIER_MARK | expected << MBARRIER_EXPECTED_SHIFT | left << MBARRIER_BYTES_SHIFT |
           (ends ? expected : pending);
}

/* ==== used bytes ================================================================================================== */

/* The bytes of a load that the kernel uses (Instruction.unused_bytes). */

/* The number of bytes of a lane, of `bytes`, up to the last one that is used. */
static inline uint32_t end_of_used_bytes(const Instruction *access, uint32_t bytes)
{
    while (bytes > 0 && access->unused_bytes >> (bytes - 1) & 1)
        bytes--;
    return bytes;
}

/* Bytes [first, end) of a lane. */
typedef struct ByteRun {
    uint32_t first, end;
} ByteRun;

/* The first run of used bytes that begins at `from` or later; empty where there is none. */
static inline ByteRun next_used_bytes(const Instruction *access, uint32_t bytes, uint32_t from)
{
    ByteRun run = {.first = from};
    if (access->unused_bytes == 0)
        return (ByteRun){from, bytes};
    while (run.first < bytes && access->unused_bytes >> run.first & 1)
        run.first++;
    run.end = run.first;
    while (run.end < bytes && !(access->unused_bytes >> run.end & 1))
        run.end++;
    return run;
}

/* ==== function ==================================================================================================== */

enum { SIM_MAX_NAME = 256 };

typedef struct SimFunctionInfo {
    char name[SIM_MAX_NAME];
    uint32_t parameter_count;
    uint32_t parameter_bytes;          /* of all parameters, with the gaps between them */
    const uint32_t *parameter_offsets; /* [parameter_count] */
    const uint32_t *parameter_sizes;   /* [parameter_count] */
    uint32_t registers;                /* 32-bit registers per thread */
    uint32_t
        live_registers; /* of PTX, values that a thread needs at the same time, in words: with fewer registers, it spills */
    bool registers_estimated; /* there is no cubin beside the PTX that says it; an estimate refuses no launch */
    uint32_t static_shared_bytes;
    uint32_t local_bytes;           /* .local memory per thread */
    uint32_t frame_bytes;           /* the same with spilled registers, from the cubin beside the PTX */
    uint32_t constant_bytes;        /* of the constant arrays that the kernel may read */
    bool has_unknown_code;          /* there is machine code, but no line table that relates it to the PTX */
    bool uniform_constant_loads;    /* as cubin_loads_constants_uniformly() says; false where there is no cubin */
    uint32_t max_threads_per_block; /* .maxntid, else the profile's limit */
    uint32_t cluster[3];            /* __cluster_dims__, in blocks; 0: none */
} SimFunctionInfo;

#endif
