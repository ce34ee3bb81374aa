/* launch.h - runs one grid to its end.  */
#ifndef SIMGPU_LAUNCH_H
#define SIMGPU_LAUNCH_H

#include "simgpu/block/launch.h"
#include "simgpu/block/lines.h"
#include "simgpu/block/raw_finding.h"
#include "simgpu/block/worker.h"
#include "simgpu/gpu.h"
#include "simgpu/simgpu.h"

/* ==== launch ====================================================================================================== */

typedef struct LaunchHow {
    bool interprets; /* uses no translation, even if there is a translator */
    int helpers;     /* most threads beside the caller's */
} LaunchHow;
/* False where the GPU cannot run it; the report says why. */
bool launch_is_possible(const SimGpu *gpu, const SimLaunch *launch, SimReport *report);
void launch_run(SimGpu *gpu, const SimLaunch *launch, const LaunchHow *how, SimReport *report);

/* ==== run ========================================================================================================= */

/* The blocks of one launch, as the threads of the host run them, and the sums of what they did.
 *
 * Strips   clusters next to each other (without clusters: blocks) that one thread runs one after the other. Threads take
 *          strips until none is left. */

typedef struct Strip { /* clusters [first, end) of the grid */
    uint64_t first, end;
} Strip;

/* Sums over strips, of which one ran b blocks with x machine instructions. */
typedef struct StripMoments {
    unsigned __int128 b, x, bb, bx, xx;
} StripMoments;

/* What the blocks of a grid did of their own, for runs of `length` neighbours: their machine instructions, their requests for
 * memory, and how many of them ran; and what any of them could have taken. */
typedef struct RunOfBlocks {
    _Atomic uint64_t work, accesses, blocks;
} RunOfBlocks;

enum { MOST_TAKEN = 1 << 18 };

typedef struct BlockWorks {
    RunOfBlocks *runs; /* [count] */
    uint64_t length;
    size_t count;
    _Atomic uint64_t stayed,
        stayed_most;  /* instructions until warps exited; if all had exited with the last of their block */
    WorkTaken *taken; /* [taken_count] in any order; NULL: none yet */
    size_t taken_count;
} BlockWorks;

/* What the drawn blocks have stored to global memory: those that are the last along an extent of the grid, which mostly
 * have less to do, and the others. */
typedef enum BlockPlace { BLOCK_INSIDE, BLOCK_AT_BORDER, BLOCK_PLACES } BlockPlace;

typedef struct BlockStores {
    uint64_t blocks, bytes, least, most; /* the last two are those of a block */
} BlockStores;

typedef struct GridRun {
    Launch launch;
    TranslationJob *job;  /* NULL: the launch is interpreted */
    pthread_mutex_t lock; /* for the sums below */
    SimCounters counters;
    Executed *executed;       /* [block_count] */
    Touched *loaded, *stored; /* [allocation] */
    SimWarpPath longest;
    LineTable *lines;  /* NULL without SIM_COUNT_LINES */
    RawFinding *found; /* of the sanitizer; NULL: it does not check the launch */
    int first_watched; /* lowest instruction that loaded from the watched source; instruction_count: none */
    const Strip *strips;
    _Atomic uint64_t next_strip;
    uint64_t end_strip;
    bool skips_certain; /* leaves the blocks out of strips for which run_is_certain() holds */
    uint64_t strips_run, blocks_run;
    StripMoments moments;
    BlockWorks works;
    BlockStores stores[BLOCK_PLACES];
    double sampled_share, sample_error; /* as in SimReport, as are the next two */
    double drawn_share;
    uint64_t certain_bytes;
} GridRun;

/* Runs all blocks, by the caller and up to `helpers` threads of the pool. */
void run_whole(SimGpu *gpu, GridRun *run, int helpers);
/* Runs all blocks of a cooperative launch, which take turns on one thread. */
void run_together(GridRun *run);

/* Whether a block is in each sample: its loads are traced (reuse.h), the sanitizer looks at it, it is the last one, or it may store next to a power of
 * two of the bytes of SimLaunch.marked. Which blocks do is guessed: the blocks of a grid mostly fill an array in order. */
bool run_is_certain(const Launch *launch, uint64_t block);
BlockPlace run_place_of(const Launch *launch, uint64_t block);
/* Runs the strips [from, to). False where the launch has to end. */
bool run_strips(SimGpu *gpu, GridRun *run, uint64_t from, uint64_t to, int helpers);

/* ==== compare ===================================================================================================== */

/* Runs a launch by both engines, interpreter and translator, and names the first difference. */

void launch_compared(SimGpu *gpu, const SimLaunch *launch, SimReport *report);

#endif
