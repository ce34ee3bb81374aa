/* explain.h - where a submission's modelled time goes: what bounds each kernel, how near it is to that bound, and how
 * its time divides among the lines of the source.
 *
 * Everything follows from the counters of one call (harness/device/sim/execution_profile.h) and the model of the hardware
 * (simgpu/cost/cost.h); docs/explain.md says what each number means.
 *
 * Units    seconds, parts of one; intensity in floating-point operations a byte of DRAM traffic; rates in 1e9 a second.
 * Owns     the shares of the lines; the profile stays the caller's and must outlive the explanation.
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
    Cost cost;                   /* of one launch, with the average of their counters */
    double share;                /* of the call's time */
    double bound_share;          /* the limiter's own time over the kernel's: near 1, nothing else matters */
    double flops, dram_bytes;    /* of all launches */
    double intensity, gflops;    /* intensity 0: no traffic */
    double roof_gflops;          /* the most that the hardware allows at this intensity */
    uint32_t resident_blocks;    /* on one multiprocessor */
    const char *occupancy_limit; /* "registers", "shared memory", ...; what keeps further blocks off */
    double waves;                /* how often the multiprocessors fill up with blocks; below 1: some stay empty */
} ExplainedKernel;

typedef struct Explanation {
    const ExecutionProfile *profile;
    const HardwareProfile *hardware;
    double seconds; /* kernels and copies, one after the other */
    ExplainedKernel kernels[PROFILE_MAX_KERNELS];
    double *line_shares; /* [profile->line_count] of the call's time */
} Explanation;

/* A kernel as the cost model sees it, to be changed and asked again. */
typedef struct KernelModel {
    SimFunctionInfo function;
    SimCounters counters; /* of one launch */
    CostInput input;      /* of the two above */
    uint64_t launches;
} KernelModel;

void explain(const ExecutionProfile *profile, const HardwareProfile *hardware, Explanation *explanation);
void explanation_free(Explanation *explanation);

/* `model` must stay where it is. */
void kernel_model(const Explanation *explanation, uint32_t kernel, KernelModel *model);
/* The modelled time of all its launches. */
double kernel_model_seconds(const KernelModel *model);

/* Whether a line stands in the submission's own file, not in a header of the toolkit. */
bool explain_is_own_line(const Explanation *explanation, const ProfileLine *line);

#endif
