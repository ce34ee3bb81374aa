/* explain.h - where a submission's modelled time goes: what limits each kernel, how near it is to that limit, and
 * how its time divides among the lines of the source.
 *
 * All numbers follow from the counters of one call (harness/device/execution_profile.h) and the model of the
 * hardware (simgpu/cost/cost.h); docs/explanation/cost-model.md says what each number means.
 *
 * Units    seconds; shares from 0 to 1; intensity in floating-point operations per byte of DRAM traffic; rates in
 *          1e9/s.
 * Owns     the shares of the lines. The profile and the hardware profile are the caller's and must outlive it.
 * Source   roofline: Williams, Waterman and Patterson, Communications of the ACM 52 (2009), 65.  */
#ifndef GRADER_REPORT_EXPLAIN_H
#define GRADER_REPORT_EXPLAIN_H

#include "grader/problem/problem.h"
#include "harness/device/execution_profile.h"
#include "simgpu/cost/cost.h"

#include <stdbool.h>

/* ==== explain ===================================================================================================== */

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

/* A kernel as the cost model sees it. Advice changes a copy and asks the model again. */
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
/* The modelled time of all launches. */
double kernel_model_seconds(const KernelModel *model);

/* The time of a unit; the launch itself is no part of a cost, so for that, `otherwise`. */
double explain_part_seconds(const Cost *cost, const char *name, double otherwise);

/* True if a file, or a line, is the submission's own, not in a header of the toolkit. */
bool explain_is_own_file(const ExecutionProfile *profile, uint32_t file);
bool explain_is_own_line(const Explanation *explanation, const ProfileLine *line);

/* ==== change ====================================================================================================== */

/* A kernel as it would be without a defect: what advice asks the cost model about. The functions keep counters and the
 * instructions of the machine code consistent with each other.
 *
 * Units    Warp-instructions of the machine code, of one launch. `kept` is what is left of a quantity, as a fraction. */

/* The instructions of a kernel's machine code, by kind. */
typedef struct InstructionMix {
    double multiply_adds;
    double global_loads, shared_loads, constant_loads, texture_loads, stores, local;
    double others; /* indices, counters of loops, comparisons, branches, copies between registers, barriers */
    double all;
} InstructionMix;

InstructionMix change_mix(const KernelModel *model);
/* Counts the loads of all kinds, except for those of local memory. */
double change_loads(const InstructionMix *mix);

/* Instructions other than multiply-adds and accesses to memory. */
void change_others(KernelModel *model, double kept);
/* Requests with their wavefronts and the bytes that they cover. */
void change_global_loads(KernelModel *model, double kept);
void change_global_stores(KernelModel *model, double kept);
/* The same work of lanes in fewer warps: what is left of the instructions that the units of a multiprocessor execute. */
void change_lanes(KernelModel *model, double kept);
/* Multiplies the latency of a lone warp, from its start to its end, by `kept`. */
void change_waiting(KernelModel *model, double kept);

/* Of a counter. */
void change_scale(uint64_t *count, double factor);

/* ==== case choice ================================================================================================= */

/* Chooses which of a problem's timed cases to explain. */

typedef struct CaseChoice {
    char name[200]; /* of the chosen case; "": all of them */
    int number;     /* of the chosen case, from 1; 0: all of them */
    int count;      /* of the problem's timed cases */
} CaseChoice;

/* `wanted` is a number from 1, or a name; NULL: all. BAD_INPUT, with the list of cases: there is no such case. */
MUST_USE Status case_choice_read(const Problem *problem, const char *wanted, CaseChoice *choice, Message *why);

/* ==== kernel under review ========================================================================================= */

/* One kernel with its counters and cost model. */
typedef struct KernelUnderReview {
    const Explanation *explanation;
    uint32_t index; /* of the kernel in the explanation */
    const ExplainedKernel *kernel;
    const SimCounters *counters; /* of all its launches */
    KernelModel model;           /* of the kernel as it is */
    InstructionMix mix;          /* likewise */
} KernelUnderReview;

void review_begin(const Explanation *explanation, uint32_t index, KernelUnderReview *review);

/* The model counts one launch: a sum over all launches divided by their number. */
double review_per_launch(const KernelUnderReview *review, double sum);

typedef double LineMeasure(const SimLine *line);
/* The line of the submission's own file that has most of something; NULL where no line has any. */
const SimLine *review_worst_line(const KernelUnderReview *review, LineMeasure *measure);
/* The sum over all lines of the kernel. */
double review_sum(const KernelUnderReview *review, LineMeasure *measure);

double review_threads_per_block(const KernelUnderReview *review);
double review_blocks_per_launch(const KernelUnderReview *review);
double review_threads(const KernelUnderReview *review); /* of all launches, and so are warps: */
double review_warps(const KernelUnderReview *review);

/* a / b, and 0 where b is 0. */
static inline double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

#endif
