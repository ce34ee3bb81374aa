/* launch.h - one run of a grid, shared by its workers.  */
#ifndef SIMGPU_BLOCK_LAUNCH_H
#define SIMGPU_BLOCK_LAUNCH_H

#include "simgpu/block/outcome.h"
#include "simgpu/block/request.h"
#include "simgpu/code/code.h"
#include "simgpu/code/function.h"
#include "simgpu/cost/hardware_profile.h"
#include "simgpu/cost/reuse.h"
#include "simgpu/memory/memory.h"
#include "simgpu/memory/texture.h"

#include <pthread.h>
#include <stdatomic.h>

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
    uint32_t capacity;       /* lanes that a register has room for: whole warps */
    uint32_t shared_bytes;   /* static and dynamic */
    uint32_t parameter_bytes;
    uint64_t first_heap_block, resident_blocks; /* heap.h */
    uint32_t stack_bytes;                       /* of a thread, for calls of procedures */
    bool is_timed;                              /* counts what the cost model needs */
    const HardwareProfile *profile;
    bool is_cooperative;           /* all blocks are under way at once, and may wait for each other */
    uint64_t workspace;            /* of a cooperative launch; else 0 */
    uint32_t cluster[3];           /* blocks of a cluster; 1: without clusters, each block is one */
    uint32_t cluster_blocks;       /* in all */
    bool is_explicit_cluster;      /* the kernel or the launch asks for clusters */
    uint64_t blocks;               /* of the grid */
    uint64_t clusters;             /* of the grid */
    int watched_source;            /* index of the allocation SimLaunch.watched_source; -1: none */
    const struct LineTable *lines; /* NULL without SIM_COUNT_LINES */
    const _Atomic int *cancelled;
    struct Output *output;
    struct SanitizerPlan *sanitizer_plan; /* sanitizer_state.h; NULL: the sanitizer does not check the launch */
    const struct Translator *translator;  /* simgpu/engine/translator.h; asked only where a worker has a JitState */
    TraceSet traces, drawn;               /* reuse.h */

    _Atomic uint64_t finished_blocks;
    _Atomic uint64_t fault_block;       /* lowest block with a fault: later ones need not run */
    _Atomic uint64_t warp_instructions; /* executed so far; the workers add to it now and then */
    _Atomic int stop;                   /* SimOutcome that ends the launch at once; SIM_OK: none yet */
    pthread_mutex_t fault_lock;
    pthread_mutex_t bulk_lock; /* for bulk copies that combine elements with those in memory */
    SimOutcome outcome;        /* of the fault below */
    SimFault fault;
} Launch;

#endif
