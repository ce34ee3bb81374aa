/* explain.h - where a submission's modelled time goes: what limits each kernel, how near it is to that limit, and
 * how its time divides among the lines of the source.
 *
 * All numbers follow from the counters of one call (harness/device/sim/execution_profile.h) and the model of the
 * hardware (simgpu/cost/cost.h); docs/explain.md says what each number means.
 *
 * Units    seconds; shares from 0 to 1; intensity in floating-point operations per byte of DRAM traffic; rates in
 *          1e9/s.
 * Owns     the shares of the lines. The profile and the hardware profile are the caller's and must outlive it.
 * Source   roofline: Williams, Waterman and Patterson, Communications of the ACM 52 (2009), 65.  */
#ifndef GRADER_EXPLAIN_EXPLAIN_H
#define GRADER_EXPLAIN_EXPLAIN_H

#include "harness/device/sim/execution_profile.h"
#include "simgpu/cost/cost.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct ExplainedKernel {
    const ProfileKernel *profile;
    char name[128];              /* as the programmer wrote it */
    Cost cost;                   /* of one launch, from the mean counters of all */
    double share;                /* of the call's time */
    double bound_share;          /* the limiter's own time over the kernel's; near 1, no other unit matters */
    double flops, dram_bytes;    /* of all launches */
    double intensity, gflops;    /* intensity 0: no DRAM traffic */
    double roof_gflops;          /* the highest rate that the hardware allows at this intensity */
    uint32_t resident_blocks;    /* on one multiprocessor */
    const char *occupancy_limit; /* what keeps more blocks from being resident: "registers", "shared memory", ... */
    double waves;                /* how many times the grid fills all multiprocessors; below 1, some stay empty */
    double achieved_occupancy;   /* the occupancy, averaged over all waves: the last one may be incomplete */
} ExplainedKernel;

typedef struct Explanation {
    const ExecutionProfile *profile;
    const HardwareProfile *hardware;
    double seconds; /* the graded time: kernels, copies and waits, one after the other, between two events */
    double wait_s;  /* of these, when the device waits for the host between two operations */
    ExplainedKernel kernels[PROFILE_MAX_KERNELS];
    double *line_shares; /* [profile->line_count], shares of the call's time */
} Explanation;

/* A kernel as the cost model sees it. Rules of advice change a copy and ask the model again. */
typedef struct KernelModel {
    SimFunctionInfo function;
    SimCounters counters; /* of one launch */
    CostInput input;      /* without its pointers to the two above, so that a model can be copied */
    uint64_t launches;
} KernelModel;

/* `call_s`: modelled time of the call, as it is graded; 0: only that of its operations is known. */
void explain(const ExecutionProfile *profile, const HardwareProfile *hardware, double call_s, Explanation *explanation);
void explanation_free(Explanation *explanation);

void kernel_model(const Explanation *explanation, uint32_t kernel, KernelModel *model);
/* What the cost model makes of one launch of it, and the modelled time of all its launches. */
Cost kernel_model_cost(const KernelModel *model);
double kernel_model_seconds(const KernelModel *model);
/* Blocks that one multiprocessor holds at a time; 0: a block does not fit. */
uint32_t kernel_model_resident_blocks(const KernelModel *model);

/* Whether a line is in the submission's own file, not in a header of the toolkit. */
bool explain_is_own_line(const Explanation *explanation, const ProfileLine *line);

#endif
