/* request.h - a launch as its user asks for it.  */
#ifndef SIMGPU_BLOCK_REQUEST_H
#define SIMGPU_BLOCK_REQUEST_H

#include "simgpu/cost/launch_shape.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct SimFunction SimFunction; /* simgpu.h */

/* What a launch may be watched for, besides what is always checked. It takes time and memory, and changes nothing else.
 * Of a large grid some blocks are looked at in detail (simgpu/sanitizer/sanitizer.h); what several blocks write is always seen. */
typedef enum SimLaunchFlags {
    SIM_SANITIZE_RACES = 1,         /* SIM_RACE_*, SIM_BAD_SHUFFLE, SIM_MIXED_BARRIERS */
    SIM_SANITIZE_UNINITIALISED = 2, /* SIM_UNINITIALISED */
    SIM_COUNT_LINES = 4             /* counts by source line */
} SimLaunchFlags;

typedef struct SimLaunch {
    SimFunction *function;
    LaunchShape shape;
    const void *parameters;                  /* parameter_bytes of them, laid out as in PTX */
    uint64_t warp_instructions;              /* budget of the launch: more is SIM_TIME_LIMIT; 0: none */
    uint64_t watched_source, watched_target; /* allocations: the report says whether the kernel loaded from the one
                                              * and stored into the other; 0: none */
    uint32_t flags;                          /* bits of SimLaunchFlags */
    bool is_untimed; /* nobody asks how long it takes, which saves finding out: of the counters only those
                                  * of instructions are counted, and modelled_s is what launching alone takes. Ignored
                                  * with SIM_COUNT_LINES */
} SimLaunch;

#endif
