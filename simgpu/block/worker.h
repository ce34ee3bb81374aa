/* worker.h - one thread of the host that runs blocks of a grid, one block at a time; shared by the files that
 * interpret code. Nobody outside the engine includes it.
 *
 * interpreter.c   instructions one after the other, and where a basic block leads
 * group.c         which lanes run next
 * barrier.c       who waits for whom
 * worker.c        a worker's memory, its registers, the lanes that are active
 * fault.c         what went wrong, in one sentence
 * access.c        loads, stores, cp.async, their checks
 * fetch.c         reads through textures
 * pattern.c       how the addresses of lanes relate, and what that costs on hardware
 * atomic.c        atom and red
 * warp.c          shuffles, votes, matches
 * matrix.c        products of matrix fragments, ldmatrix and its like
 * watch.c         what is watched beyond that: races and reads of what was never written
 * output.c        printf and assert
 * lines.c         what is counted by source line
 *
 * All lanes of a block that are at the same place execute an instruction together, so that its dispatch is paid once
 * for up to 1024 lanes. Three shortcuts carry the speed:
 *   - a register that is known to be the same in all lanes is computed and kept once (SlotState);
 *   - where the lanes that run form a range without gaps, nothing is masked (Active.full, Active.exact);
 *   - the pattern of addresses of a memory instruction is remembered, and only compared the next time (Pattern).  */
#ifndef SIMGPU_BLOCK_WORKER_H
#define SIMGPU_BLOCK_WORKER_H

#include "simgpu/code/code.h"
#include "simgpu/memory/memory.h"
#include "simgpu/cost/pattern.h"
#include "simgpu/cost/reuse.h"
#include "simgpu/block/outcome.h"
#include "simgpu/block/request.h"
#include "simgpu/code/function.h"
#include "simgpu/code/warp.h"
#include "simgpu/cost/counters.h"
#include "simgpu/cost/profile.h"
#include "simgpu/memory/texture.h"

#include <pthread.h>
#include <stdatomic.h>

enum { MAX_THREADS = 1024, MAX_WARPS = MAX_THREADS / SIM_WARP_SIZE, MAX_BARRIERS = 16 };

/* What is known about the lanes of a slot. */
typedef enum SlotState {
    VARYING,
    UNIFORM, /* all lanes are equal, and only lane 0 holds the value */
    FILLED   /* all lanes are equal, and each holds the value */
} SlotState;

/* The lanes that execute an instruction. */
typedef struct Active {
    uint32_t bits[MAX_WARPS];
    uint32_t first, end; /* all of them lie in [first, end) */
    uint32_t count, warps;
    bool exact;    /* every lane of [first, end) is active */
    bool full;     /* every living lane of [first, end) is: results may overwrite the whole range */
    bool whole;    /* every living lane of the block is */
    uint64_t mask; /* number of the worker's mask that stands for these lanes; 0: none has yet */
} Active;

/* Lanes at the same place. */
typedef struct Group {
    Active active;
    int32_t pc;        /* basic block */
    bool is_waiting;   /* at the barrier that ends block pc */
    bool has_yielded;  /* others go first */
    bool is_forced;    /* goes on although lanes of its warps are missing */
    uint32_t barrier;  /* number, while waiting */
    uint32_t backward; /* backward branches since others were given a chance */
} Group;

/* What a worker remembers about one memory instruction. */
typedef struct MemoryNote {
    uint64_t begin, end; /* of the allocation hit last */
    int allocation;      /* its index; -1: none yet */
    uint64_t low, high;  /* addresses touched in it so far */
    bool loaded_watched; /* loaded from the watched allocation, and has gone on to another since */
    Pattern pattern;     /* of lanes that are a range */
    Pattern masked;      /* of the lanes in `bits`, which has gaps */
    uint32_t bits[MAX_WARPS];
} MemoryNote;

typedef struct Touched {
    uint64_t low, high; /* low > high: nothing */
} Touched;

/* One run of a grid, shared by its workers. */
typedef struct Launch {
    const Code *code;
    Memory *memory;
    const TextureTable *textures;
    const SimLaunch *request;
    const SimFunctionInfo *function;
    const char *function_name; /* as the programmer wrote it */
    const char *const *files;
    int file_count;
    uint32_t threads, warps; /* of a block */
    uint32_t capacity;       /* lanes a register has room for */
    uint32_t shared_bytes;   /* static and dynamic */
    uint32_t parameter_bytes;
    bool is_timed; /* what the model of the time asks for is counted */
    const HardwareProfile *profile;
    uint64_t blocks, chunk;
    int watched_source;            /* index of the allocation; -1: none */
    const struct LineTable *lines; /* NULL: not watched */
    const _Atomic int *cancelled;
    struct Output *output;
    struct WatchPlan *plan;              /* watch.h; NULL: nothing is watched */
    const struct Translator *translator; /* simgpu/engine/translator.h; asked only where a worker has a visit */
    TraceSet traces;

    _Atomic uint64_t next_block, finished_blocks;
    _Atomic uint64_t fault_block;       /* lowest block that met a fault: later ones need not run */
    _Atomic uint64_t warp_instructions; /* executed so far, brought up to date now and then */
    _Atomic int stop;                   /* SimOutcome that ends the launch at once, SIM_OK: none */
    pthread_mutex_t fault_lock;
    SimOutcome outcome; /* of the fault below */
    SimFault fault;
} Launch;

typedef struct Visit Visit; /* of the translator (simgpu/engine/translator.h) */

typedef struct Worker {
    Launch *launch;
    const Code *code;
    const LaneTable *lanes;
    uint32_t capacity;

    unsigned char *registers; /* see code.h */
    uint8_t *states;          /* [slot] SlotState */
    unsigned char *scratch;   /* [MAX_RESULTS][capacity] of 8 bytes: results that are masked afterwards */
    uint8_t *mask;            /* [capacity] 1 in the lanes of the Active that asked last */
    uint64_t masks;           /* so far: the number of that one */
    uint64_t *addresses;      /* [capacity] */
    unsigned char *shared;
    char *local; /* [lane][frame_stride] */
    uint32_t frame_stride;

    uint64_t block; /* number in the grid */
    uint32_t block_index[3];
    uint32_t live[MAX_WARPS]; /* lanes that have not exited */
    uint32_t live_count;
    Group *groups[MAX_THREADS];
    int group_count, spare_count;
    Group *spares[MAX_THREADS];
    uint32_t arrived[MAX_BARRIERS];  /* lanes that only arrived (bar.arrive) */
    uint32_t expected[MAX_BARRIERS]; /* threads asked for; 0: all */
    uint32_t ticks;
    uint64_t unreported; /* warp instructions not yet added to the launch's */
    uint64_t clock;      /* that was read last in this block */

    MemoryNote *notes;         /* [memory_count] */
    Executed *executed;        /* [block_count] */
    Touched *loaded, *stored;  /* [allocation] */
    Visit *visit;              /* the translator's state of this worker; NULL: all is interpreted */
    SimWarpPath path, longest; /* the sum over the basic blocks that the block of threads went through. Where
                                         * warps take different paths, this is an upper bound of each */
    SimLine *lines;            /* [launch->lines->count]; NULL: not watched */
    SimCounters counters;      /* all but those that follow from `executed` */
    Trace *trace;              /* of this block; NULL: it is not looked at (reuse.h) */
    struct Watch *watch;       /* watch.h; NULL: nothing is watched */
} Worker;

/* ---- worker.c ---------------------------------------------------------------------------------------------------- */
Worker *worker_new(Launch *launch);
void worker_free(Worker *worker);
/* Prepares for a block; false: there is none left. */
void worker_begin_block(Worker *worker, uint64_t block);
/* ---- fault.c ---- */
/* Ends the block with a fault; always returns false. The text begins with the place: "kernel k: block (x,y,z)". */
__attribute__((format(printf, 6, 7))) bool worker_fault(Worker *worker, SimOutcome outcome, int file, int line,
                                                        uint32_t lane, const char *format, ...);
/* As above, of an access: fills in the rest of SimFault. */
bool worker_access_fault(Worker *worker, const Instruction *instruction, SimOutcome outcome, SimSpace space,
                         bool is_store, uint32_t lane, uint64_t address, uint32_t bytes, uint64_t lanes);

/* What both begin with: the place of a thread; `lane` is its number in the block. */
SimFault fault_at(const Launch *launch, uint64_t block, uint32_t lane, int file, int line);
/* Writes the sentence: "kernel k: block (x,y,z), thread (x,y,z) WHAT (file:line)". */
void fault_describe(const Launch *launch, SimFault *fault, const char *what);
/* "output[12]", "4 bytes past the end of an allocation of 100 bytes (parameter 2)", "byte 8 of shared variable 'tile'". */
void fault_describe_place(const Launch *launch, SimSpace space, uint64_t address, char *text, size_t size);

/* ---- active lanes (worker.c) ------------------------------------------------------------------------------------- */
/* Recomputes everything from `bits`. */
void active_measure(Active *active, const Worker *worker);
static inline bool active_has(const Active *active, uint32_t lane)
{
    return active->bits[lane / SIM_WARP_SIZE] >> (lane % SIM_WARP_SIZE) & 1;
}
/* The lanes of `active` in which a predicate holds; false: none. `part` may be the result. */
bool active_where(Worker *worker, const Active *active, Operand predicate, bool negated, Active *part);
const uint8_t *active_mask(Worker *worker, Active *active);

/* ---- registers (worker.c) ---------------------------------------------------------------------------------------- */
static inline unsigned char *lane_of(const Worker *worker, Operand operand, uint32_t lane)
{
    return worker->registers + (size_t)operand.unit * worker->capacity + ((size_t)lane << operand.size);
}
static inline bool is_uniform(const Worker *worker, Operand operand)
{
    return operand.slot == NO_SLOT || worker->states[operand.slot] != VARYING;
}
void register_fill(Worker *worker, Operand operand);
/* The lanes of a register from `first` on, each holding its value. */
static inline unsigned char *register_read(Worker *worker, Operand operand, uint32_t first)
{
    if (operand.slot == NO_SLOT)
        return NULL;
    if (worker->states[operand.slot] == UNIFORM)
        register_fill(worker, operand);
    return lane_of(worker, operand, first);
}
/* Where to put the results of the active lanes, from active->first on; `index` keeps several results apart.
 * register_written() must follow. */
unsigned char *register_write(Worker *worker, const Active *active, Operand operand, int index);
void register_written(Worker *worker, Active *active, Operand operand, int index);
/* The same value in all active lanes. */
void register_write_all(Worker *worker, Active *active, Operand operand, const void *value);
uint64_t register_value(const Worker *worker, Operand operand, uint32_t lane);

/* ---- group.c ---- */
Group *group_add(Worker *worker, int32_t pc);
void group_remove(Worker *worker, Group *group);
/* Lanes of `part` leave `group` for a group of their own, at `pc`. */
Group *group_split(Worker *worker, Group *group, const Active *part, int32_t pc);
/* The group to run next; NULL: none can. */
Group *group_pick(Worker *worker);
/* Lowest place of the other groups that can run: `group` may go on as long as it stays below. */
int32_t group_lowest_other(const Worker *worker, const Group *group);
/* Are living lanes of its warps elsewhere? */
bool group_misses_lanes(const Worker *worker, const Group *group);

/* ---- barrier.c: false where a fault ended the block ---- */
/* The group has come to the barrier that ends `block`. */
bool barrier_arrive(Worker *worker, Group *group, const BasicBlock *block);
/* Lets go on who waited for lanes that now have exited. */
bool barrier_release_all(Worker *worker);
/* Nobody can run, and some wait: always a fault. */
bool barrier_deadlock(Worker *worker);

/* ---- the instructions: false where a fault ended the block ------------------------------------------------------- */
bool run_block(Worker *worker);
/* Where its guard holds. */
bool execute_instruction(Worker *worker, const Instruction *instruction, Active *active);
/* A basic block has begun `times` times; the group has branched backward. False where the launch must end. */
void count_block(Worker *worker, const BasicBlock *block, const Active *active, uint64_t times);
bool count_turns(Worker *worker, Group *group, uint32_t turns);
/* A load of the active lanes from global or constant memory, for the model of the caches (reuse.h), where this block is
 * looked at. Addresses as in TracedLoad. */
void trace_access(Worker *worker, const Instruction *instruction, const Active *active, uint64_t first,
                  const int32_t *relative, uint32_t bytes);
bool execute_load(Worker *worker, const Instruction *instruction, Active *active);
bool execute_store(Worker *worker, const Instruction *instruction, Active *active);
bool execute_copy_async(Worker *worker, const Instruction *instruction, Active *active);
bool execute_texture(Worker *worker, const Instruction *instruction, Active *active);
bool execute_atomic(Worker *worker, const Instruction *instruction, Active *active);
void execute_shuffle(Worker *worker, const Instruction *instruction, Active *active);
void execute_vote(Worker *worker, const Instruction *instruction, Active *active);
void execute_match(Worker *worker, const Instruction *instruction, Active *active);
void execute_reduce(Worker *worker, const Instruction *instruction, Active *active);
void execute_print(Worker *worker, const Instruction *instruction, Active *active);
bool execute_multiply(Worker *worker, const Instruction *instruction, Active *active);
bool execute_load_matrix(Worker *worker, const Instruction *instruction, Active *active);
bool execute_store_matrix(Worker *worker, const Instruction *instruction, Active *active);
bool execute_transpose_matrix(Worker *worker, const Instruction *instruction, Active *active);
bool execute_assert(Worker *worker, const Instruction *instruction, Active *active);

/* Checks and counts an access of one space as a load or store would be, of `count` elements of `size` at sources[0] +
 * offset, but moves nothing; false where a fault ended the block. */
bool check_access(Worker *worker, const Instruction *instruction, Active *active, bool is_store);
/* Remembers that `bytes` at `address` were loaded or stored; false where they lie in no one allocation. */
bool note_access(Worker *worker, MemoryNote *note, bool is_store, uint64_t address, uint64_t bytes);
void note_forget(Worker *worker, MemoryNote *note, bool is_store);

#endif
