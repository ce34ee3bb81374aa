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
#include "grader/report/kernel_names.h"
#include "harness/device/execution_profile.h"
#include "simgpu/cost/cost.h"

#include <stdbool.h>
#include <stddef.h>

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
/* Models the cost of one launch, and the time of all launches. */
Cost kernel_model_cost(const KernelModel *model);
double kernel_model_seconds(const KernelModel *model);
/* Blocks that one multiprocessor holds at a time; 0: a block does not fit. */
uint32_t kernel_model_resident_blocks(const KernelModel *model);

/* True if a line is in the submission's own file, not in a header of the toolkit. */
bool explain_is_own_line(const Explanation *explanation, const ProfileLine *line);

/* ==== change ====================================================================================================== */

/* A kernel as it would be after a change: what rules of advice ask the cost model about.
 *
 * A rule gets a copy of the kernel's model and changes everything in it that the new code would change: counters,
 * instructions of the machine code, registers, launch shape. The functions below keep these consistent with each other.
 *
 * Units    Warp-instructions of the machine code, of one launch. `kept` is what is left of a quantity, as a fraction. */

typedef struct Change {
    KernelModel after;   /* of the kernel; at first as it is */
    double saved_s;      /* what the call saves outside of the kernel */
    double unmodelled_s; /* what the model does not count of the call as it is, and the change saves */
} Change;

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
/* Multiply-adds and all other arithmetic in floating point. */
void change_arithmetic(KernelModel *model, double kept);
/* Requests with their wavefronts; the bytes that they cover shrink by `sectors_kept`. */
void change_global_loads(KernelModel *model, double kept, double sectors_kept);
void change_global_stores(KernelModel *model, double kept, double sectors_kept);
void change_shared_loads(KernelModel *model, double kept);
void change_constant_loads(KernelModel *model, double kept);
void change_texture_loads(KernelModel *model, double kept);
/* Adds loads that all lanes make at one address of a __constant__ array of `bytes` in all. */
void change_add_constant_loads(KernelModel *model, double requests, double bytes);
void change_add_shared(KernelModel *model, double loads, double stores, double bytes_per_block);

/* The same work of lanes in fewer warps: what is left of the instructions that the units of a multiprocessor execute. */
void change_lanes(KernelModel *model, double kept);
/* Each thread does the work of `outputs`: as many times fewer blocks. */
void change_outputs_per_thread(KernelModel *model, int outputs, int registers);
/* Multiplies the latency of a lone warp, from its start to its end, by `kept`, which may exceed 1. */
void change_waiting(KernelModel *model, double kept);
/* The time of one warp alone, in seconds, by the model. */
double change_chain_seconds(const KernelModel *model);

/* count * factor, of a counter. */
uint64_t change_scaled(uint64_t count, double factor);

/* ==== case choice ================================================================================================= */

/* Chooses which of a problem's timed cases to explain. */

typedef struct CaseChoice {
    char name[200]; /* of the chosen case; "": all of them */
    int number;     /* of the chosen case, from 1; 0: all of them */
    int count;      /* of the problem's timed cases */
} CaseChoice;

/* `wanted` is a number from 1, or a name; NULL: all. BAD_INPUT, with the list of cases: there is no such case. */
MUST_USE Status case_choice_read(const Problem *problem, const char *wanted, CaseChoice *choice, Message *why);

/* Returns the share by which the score, a geometric mean over `count` cases, shrinks if one time shrinks by `gain`. */
double case_choice_score_gain(int count, double gain);

/* ==== kernel under review ========================================================================================= */

/* One kernel with its counters and cost model, and what the rules of advice ask about it. */

/* Facts about the submission and the case that the profile does not hold. */
typedef struct AdviceSubject {
    const char *source;
    const Problem *problem; /* NULL: unknown, and so are the sizes */
    const Sizes *sizes;
    double operations; /* that the problem's own formula counts for the case; 0: unknown */
} AdviceSubject;

typedef struct KernelUnderReview {
    const Explanation *explanation;
    uint32_t index; /* of the kernel in the explanation */
    const ExplainedKernel *kernel;
    const SimCounters *counters; /* of all its launches */
    KernelModel model;           /* of the kernel as it is */
    InstructionMix mix;          /* likewise */
    const AdviceSubject *subject;
    const char *source; /* that of the subject */
} KernelUnderReview;

void review_begin(const Explanation *explanation, uint32_t index, const AdviceSubject *subject,
                  KernelUnderReview *review);

/* The model counts one launch: a sum over all launches divided by their number. */
double review_per_launch(const KernelUnderReview *review, double sum);

typedef double LineMeasure(const SimLine *line);
/* The line of the submission's own file that has most of something; NULL where no line has any. */
const SimLine *review_worst_line(const KernelUnderReview *review, LineMeasure *measure);
/* The line with most multiply-adds, which is the one in the innermost loop; NULL: there is none. */
const SimLine *review_hot_line(const KernelUnderReview *review);
/* The sum over all lines of the kernel. */
double review_sum(const KernelUnderReview *review, LineMeasure *measure);

double review_threads_per_block(const KernelUnderReview *review);
double review_blocks_per_launch(const KernelUnderReview *review);
double review_warps(const KernelUnderReview *review); /* of all launches */
/* Returns how often each warp executes a line, on average: more than a few times means that the line is in a loop. */
double review_executions_per_warp(const KernelUnderReview *review, const SimLine *line);
/* Multiply-adds of one thread, on average: with one output a thread, the number of taps. */
double review_taps_per_thread(const KernelUnderReview *review);
/* Floats that a thread stores, on average, at least one: with one store of each output, the outputs of a thread. */
double review_outputs_per_thread(const KernelUnderReview *review);
/* The extents of the problem's filter, if each output takes all of its taps; returns their number. 0: an output takes a part of
 * them, such as those of its channel, or the problem is unknown. */
int review_filter_extents(const KernelUnderReview *review, size_t extents[TENSOR_MAX_RANK]);
/* The problem as a product of a matrix of inputs, a row for each pixel, with a matrix of weights, a column for each channel of the
 * output. */
typedef struct MatrixProduct {
    const char *input, *weights; /* as the problem names them */
    double rows, columns, depth; /* depth: products of which an output is the sum */
    double channels;             /* of the input: so many of the depth lie side by side */
} MatrixProduct;
/* True if the problem is a matrix product: its weights share one axis with the output alone, and another with the input
 * alone. False also if the problem, its sizes or its operations are unknown. */
bool review_matrix_product(const KernelUnderReview *review, MatrixProduct *product);
/* Bytes of the problem's output array; 0: the problem or its sizes are unknown. */
double review_output_bytes(const KernelUnderReview *review);
/* Taps in one direction of the filter: all of them in one dimension, their root in two or three, by the grid. */
double review_taps_in_a_row(const KernelUnderReview *review);
/* The time that a unit alone would take, as a share of the kernel's; 0: there is no such unit. */
double review_share_of(const KernelUnderReview *review, const char *unit);

/* Instructions of a division. ptxas makes so many of a 32-bit integer division by an unknown divisor. The number for
 * float32 is an estimate for a correctly rounded division of ordinary operands: a reciprocal, five multiply-adds, the
 * test for the slow path, and the branch around it with the reconvergence of the lanes. float64 needs more, and moves
 * halves of registers. */
enum {
    INTEGER_DIVISION_INSTRUCTIONS = 20,
    FLOAT_DIVISION_INSTRUCTIONS = 11,
    FLOAT_DIVISION_MULTIPLY_ADDS = 5,
    DOUBLE_DIVISION_INSTRUCTIONS = 20
};
/* Instructions of warps that divide, convert and compute functions: they are no multiply-adds, but no loop's overhead. */
double review_divisions_and_functions(const KernelUnderReview *review);

/* Bytes of __constant__ arrays that a warp reads, at most. */
double review_constant_bytes(const KernelUnderReview *review);

/* The line that defines the kernel; 0: not found by its usual form. */
int review_kernel_line(const KernelUnderReview *review);
/* Finds the names that the kernel uses around a line. Line 0 finds only the names of the kernel itself. */
void review_names(const KernelUnderReview *review, int line, KernelNames *names);
/* The source of a line without its indentation. */
void review_line_text(const KernelUnderReview *review, int line, char *text, size_t size);

/* a / b, and 0 where b is 0. */
static inline double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

#endif
