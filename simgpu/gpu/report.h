/* report.h - what a launch did, how long it took by the model, and how it ended.  */
#ifndef SIMGPU_GPU_REPORT_H
#define SIMGPU_GPU_REPORT_H

#include "simgpu/block/outcome.h"
#include "simgpu/cost/counters.h"
#include "simgpu/sanitizer/finding.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct SimReport {
    SimOutcome outcome;
    SimFault fault; /* where outcome is a fault, SIM_BAD_LAUNCH or SIM_UNSUPPORTED (text only) */
    SimCounters counters;
    SimWarpPath longest;
    SimMachineRatios machine;
    const SimLine *lines; /* [line_count] by file and line; the GPU's, until its next launch. NULL: not watched */
    size_t line_count;
    double modelled_s;      /* 0 where the kernel did not end */
    double occupancy;       /* resident warps over the most a multiprocessor holds, 0 to 1 */
    const char *limiter;    /* what the model says bounds the time: "dram", "l2", "lsu", "fma", "issue", "latency" */
    char watched_load[400]; /* "kernel blur (blur.cu:31)": the first instruction that loaded from the watched source,
                            * in the order of the code; empty: none did */
    bool watched_store;     /* the watched target was stored into */
    SimFinding findings[SIM_MAX_FINDINGS]; /* where outcome is SIM_OK: by kind, then in the order of the code; the same
                            * whatever `threads` is */
    uint32_t finding_count;
    uint32_t findings_more; /* found, and not listed */
} SimReport;

#endif
