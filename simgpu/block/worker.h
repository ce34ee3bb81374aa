/* worker.h - one thread of the host that runs blocks of a grid, one block at a time.
 *
 * All lanes of a block that are at the same place execute an instruction together, so that its dispatch is paid once
 * for up to 1024 lanes. Three shortcuts make this fast:
 *   - a register that is known to be the same in all lanes is computed and stored once (SlotState);
 *   - where the active lanes form a range without gaps, no mask is needed (Active.full, Active.exact);
 *   - the pattern of the addresses of a memory instruction is remembered, and only compared the next time
 *     (Pattern).  */
#ifndef SIMGPU_BLOCK_WORKER_H
#define SIMGPU_BLOCK_WORKER_H

#include "simgpu/block/launch.h"
#include "simgpu/code/code.h"
#include "simgpu/cost/counters.h"
#include "simgpu/cost/pattern.h"
#include "simgpu/cost/reuse.h"

/* ==== limits ====================================================================================================== */

/* How large a block of threads can be on any GPU. */

enum { MAX_THREADS = 1024, MAX_WARPS = MAX_THREADS / SIM_WARP_SIZE, MAX_BARRIERS = 16 };
enum { CLUSTER_BARRIER = MAX_BARRIERS }; /* stands for the barrier of the cluster where a number is asked for */

/* ==== memory note ================================================================================================= */

/* What a worker remembers about one memory instruction. */

typedef struct Worker Worker;

typedef struct AllocationCache {
    uint64_t begin, end; /* of the allocation that was accessed last */
    int allocation;      /* its index; -1: none yet */
    uint64_t low, high;  /* addresses accessed in it so far */
    bool loaded_watched; /* has loaded from the watched source, and later from another allocation */
    Pattern pattern;     /* of active lanes without gaps */
    Pattern masked;      /* of active lanes with gaps, those in `bits` */
    uint32_t bits[MAX_WARPS];
} AllocationCache;

/* The accessed range of an allocation. */
typedef struct Touched {
    uint64_t low, high; /* low > high: nothing */
} Touched;

/* Widens each of the `count` ranges by the same of another worker. */
void touched_add(Touched *sum, const Touched *part, int count);
/* Notes that `bytes` at `address` are loaded or stored. False where they do not all lie in one allocation. */
bool cache_allocation(Worker *worker, AllocationCache *note, bool is_store, uint64_t address, uint64_t bytes);
/* Adds what the note has of its allocation to worker->loaded or worker->stored, and empties it. */
void note_forget(Worker *worker, AllocationCache *note, bool is_store);

/* ==== worker ====================================================================================================== */

/* A block takes work where it uses what an atomic operation on global memory returns: the number of the next tile, or
 * whether it is the last block to come there. */
typedef struct WorkTaken {
    uint64_t ticket;         /* that was returned */
    uint64_t work, accesses; /* of the block until then */
} WorkTaken;

typedef struct Group Group;           /* group.h */
typedef struct JitState JitState;     /* of the translator (simgpu/engine/interpreter.h) */
typedef struct Standstill Standstill; /* simgpu/engine/standstill.c */

typedef struct Worker {
    Launch *launch;
    const Code *code;
    const LaneTable *lanes;
    uint32_t capacity;

    unsigned char *registers; /* the register file (code.h) */
    uint8_t *states;          /* [slot] SlotState */
    unsigned char *scratch;   /* [MAX_RESULTS][capacity] of 8 bytes: results before they are masked */
    uint8_t *mask;            /* [capacity] of active_mask(): 1 in the active lanes, else 0 */
    uint64_t masks;           /* number of the mask that `mask` holds: how many there were */
    uint64_t *addresses;      /* [capacity] scratch */
    unsigned char *shared;
    char *local; /* [lane][frame_stride] */
    uint32_t frame_stride;
    struct CallStack *calls; /* special_registers.h; NULL: the kernel has no procedures */

    struct Cluster *cluster; /* of the block (cluster.h); NULL: the launch needs none */
    uint64_t block;          /* its number in the grid */
    uint8_t unwritten;       /* every byte of what its threads use without having set it, but in device memory */
    uint32_t block_index[3];
    uint32_t live[MAX_WARPS]; /* lanes that have not exited */
    uint32_t live_count;
    Group *groups[MAX_THREADS];
    int group_count, spare_count;
    Group *spares[MAX_THREADS];
    uint32_t arrived[MAX_BARRIERS];  /* lanes that arrived without waiting (bar.arrive) */
    uint32_t expected[MAX_BARRIERS]; /* threads that the barrier waits for; 0: all */
    uint32_t
        cluster_arrived[MAX_WARPS];   /* lanes that have arrived at the cluster's barrier, which has not opened since */
    uint32_t cluster_owes[MAX_WARPS]; /* lanes that have arrived there and have not waited since */
    uint8_t warp_registers[MAX_WARPS]; /* by setmaxnreg, in REGISTER_UNIT a thread; 0: as at the launch */
    int64_t overdrawn;                 /* registers that warps have taken beyond those of the block, a thread each */
    const Instruction *overdraft;      /* by which the last of them did */
    uint32_t backward_branches;        /* so far */
    bool look_is_due;                  /* at whether the block still gets on (standstill.c) */
    Standstill *standstill;            /* NULL: nobody has looked so far */
    uint64_t work;       /* BasicBlock.work of what this block of threads has executed, summed over warps */
    uint64_t unreported; /* warp instructions not yet added to launch->warp_instructions */
    uint64_t clock;      /* last value of the clock that this block has read */

    AllocationCache *notes;   /* [memory_count] */
    Executed *executed;       /* [block_count] */
    Touched *loaded, *stored; /* [allocation] */
    JitState *jit;            /* the translator's state of this worker; NULL: the worker interprets */
    WorkTaken *taken;         /* [taken_count] by this block of threads */
    size_t taken_count, taken_room;
    uint64_t accesses_before;  /* of earlier blocks (worker_accesses()) */
    SimWarpPath path;          /* sums over the basic blocks that the block of threads has entered. Where warps take
                               * different paths, it is an upper bound of each */
    SimWarpPath path_taken;    /* of it, what came before the block took work last */
    uint64_t ahead[MAX_WARPS]; /* PTX instructions by which the way of a warp is shorter than that of its group */
    uint64_t stayed, stayed_longest; /* PTX instructions until each warp of the block exited, their sum and the most */
    SimWarpPath longest;             /* way of a block from one taking to the next, so far */
    SimLine *lines;                  /* [launch->lines->count]; NULL without SIM_COUNT_LINES */
    SimCounters counters;            /* without those that follow from `executed` */
    Trace *trace;                    /* of this block's loads; NULL: they are not noted (reuse.h) */
    struct BulkCopies *bulk; /* bulk copies that are under way (simgpu/engine/bulk_copy.c); NULL: none ever was */
    int bulk_count;
    struct Sanitizer *sanitizer;        /* sanitizer_state.h; NULL: the launch has no plan */
    struct RequestLog *requests;        /* simgpu/engine/request.h; NULL: the block is not watched */
    struct BlockProvenance *provenance; /* simgpu/engine/provenance.c; NULL: the launch is not traced */
} Worker;

/* Requests for memory by the block of threads, in the whole launch if `accesses_before` is 0. */
uint64_t worker_accesses(const Worker *worker);
/* Ends what the block does for the work that it took last. */
void worker_end_taken(Worker *worker);
/* The block takes work. */
void worker_take(Worker *worker, uint64_t ticket);

#endif
