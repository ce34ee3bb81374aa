/* launch.h - one run of a grid, shared by its workers.  */
#ifndef SIMGPU_BLOCK_LAUNCH_H
#define SIMGPU_BLOCK_LAUNCH_H

#include "base/chacha20.h"
#include "simgpu/code/code.h"
#include "simgpu/cost/hardware_profile.h"
#include "simgpu/cost/launch_limits.h"
#include "simgpu/cost/reuse.h"
#include "simgpu/memory/memory.h"
#include "simgpu/memory/texture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== outcome ===================================================================================================== */

/* How a launch ended, and what went wrong if something did. */

typedef enum SimOutcome {
    SIM_OK = 0,
    SIM_BAD_LAUNCH,    /* grid, block or shared memory beyond the device's limits: nothing ran */
    SIM_UNSUPPORTED,   /* the kernel holds an instruction that is not implemented: nothing ran */
    SIM_BAD_CODE,      /* the kernel holds an instruction that PTX does not allow: nothing ran */
    SIM_OUT_OF_BOUNDS, /* an access outside of all allocations, of the block's shared or the thread's local memory */
    SIM_MISALIGNED,
    SIM_BAD_BARRIER,    /* a barrier that only a part of a warp, or not all of the block, reaches. As on hardware,
                         * a barrier does not wait for threads that have exited */
    SIM_UNSET_MBARRIER, /* a thread arrives at an mbarrier that nobody has initialised */
    SIM_NO_STACK,       /* calls are nested too deeply */
    SIM_BAD_HANDLE,     /* a pointer to a function, a texture, a surface or a tensor map that is none or does not fit,
                         * or free() of what malloc() has not given */
    SIM_TRAP,           /* a trap, or a failed assert() */
    SIM_ENDLESS,        /* threads wait for what cannot happen any more, or repeat a loop that changes nothing */
    SIM_TIME_LIMIT,     /* SimLaunch.warp_instructions is used up */
    SIM_CANCELLED,      /* simgpu_cancel() */
    SIM_ENGINES_DIFFER  /* SIM_TRANSLATE_COMPARED: a bug of this library, which fault.text describes */
} SimOutcome;

typedef enum SimSpace { SIM_GLOBAL, SIM_SHARED, SIM_LOCAL, SIM_CONSTANT, SIM_PARAMETER, SIM_SURFACE } SimSpace;

/* On which side of its array, or of all memory of its space, an access lies. */
typedef enum SimSide { SIM_SIDE_UNKNOWN, SIM_BEFORE, SIM_PAST } SimSide;

enum { SIM_NAME_BYTES = 64 };

/* The array that an access has left, as far as it is known. */
typedef struct SimLeft {
    SimSide side;
    bool is_freed;              /* the memory was an allocation once */
    char array[SIM_NAME_BYTES]; /* name of the variable, or label of the allocation; "": unknown */
    char kernel[SIM_NAME_BYTES];
    uint32_t parameter; /* of the kernel, from 1: it points to the array; 0: none does */
} SimLeft;

typedef struct SimFault {
    uint32_t block[3], thread[3];
    SimSpace space;
    bool is_store;
    uint64_t address; /* generic; for shared and local: the offset in the window; for surfaces: none */
    uint32_t bytes;
    SimLeft left;   /* of SIM_OUT_OF_BOUNDS and SIM_OUTSIDE_VARIABLE */
    char file[256]; /* source file and line, from -lineinfo; line 0: unknown */
    int line;
    uint64_t lanes; /* lanes of the fault's block that faulted in the same instruction */
    char text[400]; /* one sentence: what was accessed, where it lies, and the source line */
} SimFault;

/* ==== request ===================================================================================================== */

/* A launch, as the user of the library asks for it. */

typedef struct SimFunction SimFunction; /* simgpu.h */

/* What a launch looks for besides the faults that are always found. Each flag costs time and memory, and changes
 * nothing else. Of a large grid, only some blocks are checked in detail (simgpu/block/sanitizer.h). */
typedef enum SimLaunchFlags {
    SIM_SANITIZE_RACES = 1,         /* SIM_RACE_*, SIM_BAD_SHUFFLE, SIM_MIXED_BARRIERS */
    SIM_SANITIZE_UNINITIALISED = 2, /* SIM_UNINITIALISED */
    SIM_COUNT_LINES = 4,            /* SimReport.lines: counts by source line */
    SIM_SANITIZE_SAMPLE = 8,        /* the other SIM_SANITIZE_ flags hold for a few blocks of the grid only */
    SIM_COOPERATIVE = 16            /* blocks may wait for each other, by grid.sync() for example */
} SimLaunchFlags;

/* What a thread has for calls before anyone asks for more (CUDA Runtime API, cudaLimitStackSize). */
enum { SIM_STACK_BYTES = 1024 };
/* The same of all threads for malloc() (cudaLimitMallocHeapSize). */
enum { SIM_HEAP_BYTES = 8 << 20 };

/* Memory that holds these 32-bit words, over and over, until somebody stores there; bytes 0: there is none. */
typedef struct SimMarked {
    uint64_t address, bytes;
    const uint32_t *words; /* [word_count] */
    size_t word_count;
} SimMarked;

typedef struct SimLaunch {
    SimFunction *function;
    LaunchShape shape;
    const void *parameters;                  /* [SimFunctionInfo.parameter_bytes] laid out as in PTX */
    uint32_t stack_bytes;                    /* of a thread, for calls; 0: SIM_STACK_BYTES */
    uint64_t heap_bytes;                     /* of the heap, if the kernel is the first to use it; 0: SIM_HEAP_BYTES */
    uint64_t warp_instructions;              /* more than this many end with SIM_TIME_LIMIT; 0: no limit */
    uint64_t block_instructions;             /* likewise, more than this many on the way of one block */
    uint64_t watched_source, watched_target; /* two allocations: the report says whether the kernel loaded
                                              * from the first and stored into the second; 0: none */
    uint32_t flags;                          /* bits of SimLaunchFlags */
    const Chacha20Key *sample_key; /* decides which blocks of a large grid the sanitizer checks in detail; NULL: those
                                    * at equal distances. It also decides which blocks the model of the L1 is checked
                                    * with (reuse.h). Times and counters depend on it only where that finds blocks that
                                    * are not alike */
    uint64_t sample_lane_instructions; /* a grid that would execute more may run a sample of its blocks, where none
                                        * depends on another (simgpu/launch.h); 0: all blocks run. The
                                        * sample follows from sample_key, which must not be NULL then */
    SimMarked marked;                  /* SimReport.certain_bytes counts in it */
    struct Footprint *footprint; /* gets the bytes of device memory that the launch uses (memory/footprint.h). Such a
                                    * launch is not checked for anything; NULL: not wanted */
    struct RequestLog *requests; /* gets what one block asks of memory (simgpu/engine/request.h); NULL: not wanted */
    bool is_untimed;             /* the time is not wanted, which makes the launch faster: only instructions
                                              * are counted, and modelled_s is the time of launching an empty kernel.
                                              * Ignored with SIM_COUNT_LINES */
} SimLaunch;

/* ==== launch ====================================================================================================== */

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
    uint64_t first_heap_block, resident_blocks; /* memory.h */
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
    struct Provenance *provenance;        /* simgpu/engine/provenance.h; NULL: the launch is not traced */
    const struct Translator *translator;  /* simgpu/engine/interpreter.h; asked only where a worker has a JitState */
    TraceSet traces, drawn;               /* reuse.h */

    struct {
        uint32_t working; /* threads of the host that may still run blocks */
        uint32_t count;   /* of these, those whose blocks stood still in this round */
        uint64_t round;   /* a new one begins with each change of device memory or of these threads */
        uint64_t memory;  /* a digest of it */
        bool is_over;     /* all stand still */
    } still;              /* simgpu/engine/standstill.c, under fault_lock */

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
