/* watch.h - races, and reads of bytes that nothing has written, found while a kernel runs (SimLaunchFlags).
 *
 * watch.c           which accesses of which blocks are looked at
 * race.c            the threads of one block, in shared and global memory; indices that leave a shared variable
 * race_grains.c     what is remembered of them; race_copies.c: of what cp.async has under way
 * race_reads.c      reads of shared memory, which nobody looks at before something changes there
 * race_of_blocks.c  global memory: the blocks of one launch
 * validity.c        what has been written of global and local memory
 * finding.c         what was found, and its sentence
 *
 * A false alarm is worse than a miss, so that whatever may order two accesses is taken to do so:
 *   - any barrier of the block orders all that its threads did before from all that they do after it;
 *   - any .sync operation of a warp (bar.warp.sync, shfl, vote, match, redux) likewise among the lanes of the warp;
 *   - after an atomic operation whose result is used, or a strong load (volatile, acquire, ...), a block is taken to be
 *     ordered behind all other blocks, and until the next barrier a warp behind all others of its block of which the
 *     same is true: this lets locks, flags and "the last block does the rest" pass;
 *   - strong accesses race with none.
 * Storing the value that is there already is no race; of global memory that is known where the block has stored it.
 *
 * Bounds   of a grid, up to DETAILED_BLOCKS blocks, at equal distances, and the last one are watched in all they do; of
 *          the others only what they store into global memory is noted, and what they load from memory that is not
 *          written all over. Races of one block's threads in global memory are looked for in CLOSE_BLOCKS of them and
 *          in the last: most loads are from what nobody writes, and following them takes long. Of allocations beyond
 *          VALIDITY_MAX_BYTES nobody knows what was written; a launch that touches more than race_of_blocks.c has room
 *          for is not searched for races of blocks.
 * Changes  loads from what is written all over and what the launch cannot change are not looked at. What it may change
 *          follows from the parameters that its stores go through (targets.c); where a store strays from the allocation
 *          of its parameter into another one, that is not held against loads from there.
 * Grains   memory is looked at in pieces as large as the kernel's smallest store, at most 4 bytes: finer ones could
 *          tell no two stores apart.  */
#ifndef SIMGPU_SANITIZER_WATCH_H
#define SIMGPU_SANITIZER_WATCH_H

#include "simgpu/block/active.h"
#include "simgpu/block/worker.h"
#include "simgpu/cost/pattern.h"
#include "simgpu/sanitizer/finding.h"

enum { DETAILED_BLOCKS = 128, CLOSE_BLOCKS = 16, MAX_GRAIN = 2 /* logarithm of bytes */ };

/* One thing that was found at one instruction. */
typedef struct Found {
    uint64_t count; /* how often; 0: not at all */
    uint64_t block; /* the lowest block that did it, and what its thread did first: */
    uint32_t lane;
    bool is_store, is_atomic, other_stored;
    uint8_t space; /* SimSpace */
    uint8_t bytes;
    uint64_t address;               /* as in SimFault */
    const SharedVariable *variable; /* that is indexed; NULL: not known */
    uint64_t other;                 /* the other block, thread of the block, or lane of the warp */
} Found;

typedef struct BlockGrains BlockGrains; /* race_of_blocks.c */

/* Of one launch. */
typedef struct WatchPlan {
    uint32_t bits;                      /* of SimLaunchFlags */
    uint64_t stride;                    /* blocks from one that is looked at in detail to the next, */
    uint64_t close_stride;              /*   and of these, to one whose threads are followed in global memory */
    uint8_t shared_grain, global_grain; /* logarithms of bytes */
    bool has_shared_compare, has_global_compare; /* a loop around compare-and-swap begins with a plain load */
    bool *may_change;    /* [allocation] the launch may store into it: what nobody does nobody can race with */
    BlockGrains *grains; /* of global memory; NULL: races of blocks are not looked for */
} WatchPlan;

typedef struct ThreadGrains ThreadGrains; /* race_grains.c */
typedef struct LaneCopies LaneCopies;     /* race_copies.c */
typedef struct LateReads LateReads;       /* race_reads.c */

/* Of one worker. */
typedef struct Watch {
    const WatchPlan *plan;
    bool detailed;                  /* of this block everything is looked at, */
    bool close;                     /*   and what its threads do to each other in global memory */
    bool ordered;                   /* this block is behind others that it may have waited for */
    uint32_t first_epoch, epoch;    /* barriers that this worker has passed, at the block's start and now */
    uint32_t turn[MAX_WARPS];       /* .sync operations that each warp has passed */
    uint32_t ordered_in[MAX_WARPS]; /* epoch in which a warp got behind others */
    uint32_t store;                 /* number of the store at hand */
    uint32_t changed_epoch;         /* the last in which something has changed shared memory */
    LateReads *late;                /* of shared memory, since the last barrier */
    ThreadGrains *grains;           /* of what the block's threads did */
    LaneCopies *copies;             /* [lane]; NULL: the kernel has no cp.async */
    uint8_t *local; /* [lane][frame_stride] `generation` where the block has written; NULL: no local memory */
    uint8_t generation;
    Found *found; /* [memory_count][SIM_FINDING_KINDS] */
} Watch;

/* ---- watch.c ----------------------------------------------------------------------------------------------------- */

/* NULL: nothing is to be watched, or the kernel does what this cannot follow. */
WatchPlan *watch_plan(const Launch *launch);
void watch_plan_free(WatchPlan *plan);
Watch *watch_new(const Worker *worker);
void watch_free(Watch *watch);

/* All below are called where worker->watch is not NULL, before the access is carried out. */
void watch_begin_block(Worker *worker);
void watch_barrier(Watch *watch);
void watch_join(Watch *watch, const Active *active);
/* An access that is allowed: the active lanes' addresses are those of the pattern from `first` on, offsets in the window
 * where the space has one. */
void watch_access(Worker *worker, const Instruction *instruction, PtxSpace space, bool is_store, const Active *active,
                  uint64_t first, const Pattern *pattern, uint32_t bytes);
/* The same, for a load of one address by all lanes. */
void watch_uniform_load(Worker *worker, const Instruction *instruction, const Active *active, uint64_t address,
                        uint32_t bytes);
void watch_atomic(Worker *worker, const Instruction *instruction, bool in_shared, uint32_t lane, uint64_t address);
/* Copies become a group, or are waited for: of COPY_COMMIT, COPY_WAIT. */
void watch_copies(Worker *worker, const Instruction *instruction, const Active *active);
/* `lane` of the block takes the value of lane `source` of its warp, which takes no part. */
void watch_shuffle(Worker *worker, const Instruction *instruction, uint32_t lane, uint32_t source);

/* Does a result let the block know what others have done? Sums of floats are for adding up alone. */
static inline bool tells_of_others(const Instruction *atomic)
{
    return atomic->uses_result && atomic->detail != ATOMIC_FLOAT_ADD && atomic->detail != ATOMIC_F16_ADD &&
           atomic->detail != ATOMIC_BF16_ADD;
}

/* ---- race.c ------------------------------------------------------------------------------------------------------ */

/* The grain-sized part at `offset` of what a lane is about to store, or to copy. */
uint32_t stored_part(const Worker *worker, const Instruction *store, uint32_t lane, uint32_t offset, uint8_t grain);

/* Of shared memory, or of global memory. */
void threads_read(Worker *worker, const Instruction *instruction, bool is_shared, uint32_t lane, uint64_t address,
                  uint32_t bytes);
void threads_write(Worker *worker, const Instruction *instruction, bool is_shared, uint32_t lane, uint64_t address,
                   uint32_t bytes);
void threads_atomic(Worker *worker, const Instruction *instruction, bool is_shared, uint32_t lane, uint64_t address);

/* ---- race_grains.c, race_copies.c: see race.h -------------------------------------------------------------------- */

ThreadGrains *thread_grains_new(const Launch *launch);
void thread_grains_free(ThreadGrains *grains);
LaneCopies *copies_new(const Worker *worker);
void copies_begin_block(const Worker *worker);

/* ---- race_reads.c ------------------------------------------------------------------------------------------------ */

/* A load of shared memory that is allowed. */
typedef struct SharedRead {
    const Instruction *load;
    const Active *active;
    uint64_t address;        /* of the first lane */
    const int32_t *relative; /* [lane - active->first] beyond it, 0 where not active; NULL: one address for all */
    uint64_t low, end;       /* all lanes lie in [low, end) */
    uint32_t bytes;          /* of one lane */
} SharedRead;

LateReads *late_reads_new(void);
void late_reads_free(LateReads *late);
/* Puts a read off; false where it must be looked at now. */
bool late_reads_add(Worker *worker, const SharedRead *read);
/* Looks at those put off, before one that is not, and before lanes of a warp wait for each other. */
void late_reads_look(Watch *watch);
/* The same, and until the next barrier no more are put off: shared memory is about to be changed. */
void late_reads_end(Watch *watch);
/* Forgets them: there was a barrier. */
void late_reads_forget(Watch *watch);

/* ---- race_of_blocks.c -------------------------------------------------------------------------------------------- */

/* NULL: there is no memory for it. */
BlockGrains *block_grains_new(const Launch *launch, uint8_t grain);
void block_grains_free(BlockGrains *grains);
void blocks_read(Worker *worker, const Instruction *instruction, uint32_t lane, int allocation, uint64_t address,
                 uint32_t bytes);
void blocks_write(Worker *worker, const Instruction *instruction, uint32_t lane, int allocation, uint64_t address,
                  uint32_t bytes);
void blocks_atomic(Worker *worker, const Instruction *instruction, uint32_t lane, int allocation, uint64_t address);
/* When the launch has ended: adds the races in [low, high) of an allocation to `found`. */
void blocks_find_races(const Launch *launch, int allocation, uint64_t low, uint64_t high, Found *found);

/* ---- finding.c --------------------------------------------------------------------------------------------------- */

Found *found_new(const Code *code);
/* Adds one to those of an instruction and a kind. */
void found_add(Found *found, int32_t index, SimFindingKind kind, const Found *one);
void found_note(Worker *worker, const Instruction *instruction, SimFindingKind kind, Found one);
void found_merge(const Code *code, Found *sum, const Found *part);
/* Puts into words what was found: returns how many findings, and in `more` those that there was no room for. */
uint32_t found_report(const Launch *launch, const Found *found, SimFinding findings[SIM_MAX_FINDINGS], uint32_t *more);

#endif
