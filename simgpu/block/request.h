/* request.h - a launch, as the user of the library asks for it.  */
#ifndef SIMGPU_BLOCK_REQUEST_H
#define SIMGPU_BLOCK_REQUEST_H

#include "base/chacha20.h"
#include "simgpu/cost/launch_shape.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct SimFunction SimFunction; /* simgpu.h */

/* What a launch looks for besides the faults that are always found. Each flag costs time and memory, and changes
 * nothing else. Of a large grid, only some blocks are checked in detail (simgpu/sanitizer/sanitizer.h). */
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
    uint64_t watched_source, watched_target; /* two allocations: the report says whether the kernel loaded
                                              * from the first and stored into the second; 0: none */
    uint32_t flags;                          /* bits of SimLaunchFlags */
    const Chacha20Key *sample_key; /* decides which blocks of a large grid the sanitizer checks in detail; NULL: those
                                    * at equal distances. It also decides which blocks the model of the L1 is checked
                                    * with (reuse.h). Times and counters depend on it only where that finds blocks that
                                    * are not alike */
    uint64_t sample_lane_instructions; /* a grid that would execute more may run a sample of its blocks, where none
                                        * depends on another (simgpu/gpu/block_sample.h); 0: all blocks run. The
                                        * sample follows from sample_key, which must not be NULL then */
    SimMarked marked;                  /* SimReport.certain_bytes counts in it */
    struct Footprint *footprint; /* gets the bytes of device memory that the launch uses (memory/footprint.h). Such a
                                    * launch is not checked for anything; NULL: not wanted */
    bool is_untimed;             /* the time is not wanted, which makes the launch faster: only instructions
                                              * are counted, and modelled_s is the time of launching an empty kernel.
                                              * Ignored with SIM_COUNT_LINES */
} SimLaunch;

#endif
