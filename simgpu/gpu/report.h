/* report.h - how a launch ended, what it did, and how long it takes by the model.  */
#ifndef SIMGPU_GPU_REPORT_H
#define SIMGPU_GPU_REPORT_H

#include "simgpu/block/outcome.h"
#include "simgpu/cost/counters.h"
#include "simgpu/sanitizer/finding.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a launch loaded from one allocation, or stored into it: all of it lies between these addresses. */
typedef struct SimTouched {
    uint64_t address, bytes;
    bool is_store; /* atomic operations are stores */
} SimTouched;

typedef struct SimReport {
    SimOutcome outcome;
    SimFault fault; /* where outcome is a fault, SIM_BAD_LAUNCH, SIM_UNSUPPORTED or SIM_BAD_CODE (text only) */
    SimCounters counters;
    SimWarpPath longest;
    SimMachineRatios machine;
    const SimLine *lines; /* [line_count] by file and line, valid until the GPU's next launch; NULL without
                           * SIM_COUNT_LINES */
    size_t line_count;
    double modelled_s;      /* 0 where the kernel did not run to its end */
    double occupancy;       /* resident warps, as a fraction of the most that a multiprocessor holds */
    const char *limiter;    /* the unit that limits the speed by the model: Cost.limiter */
    char watched_load[400]; /* "kernel blur (blur.cu:31)": of the instructions that loaded from the watched source, the
                             * first in the code; empty: none did */
    const char *watched_file; /* the source file and line of it, valid as long as the module; NULL: unknown */
    int watched_line;
    const SimTouched *touched; /* [touched_count], valid until the GPU's next launch */
    size_t touched_count;
    double
        sampled_share;  /* of the grid's blocks, those that ran: 1, or less with SimLaunch.sample_lane_instructions. The
                           * counters are those of the whole grid, then estimated */
    double drawn_share; /* of the grid's blocks, those that ran because they were drawn; 0: there was no sample */
    uint64_t certain_bytes; /* of SimLaunch.marked, that blocks stored which run in any sample: a kernel can foresee
                             * which these are */
    double sample_error; /* half the width of the 95 % interval of what they are estimated from, relative; 0: exact */
    bool watched_store;  /* the watched target was stored into */
    SimFinding findings[SIM_MAX_FINDINGS]; /* where outcome is SIM_OK: by kind, then in the order of the code; the
                                             * number of host threads makes no difference */
    uint32_t finding_count;
    uint32_t findings_more; /* findings beyond those that are listed */
} SimReport;

#endif
