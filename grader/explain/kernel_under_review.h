/* kernel_under_review.h - one kernel with its counters and cost model, and what the rules of advice ask about it.  */
#ifndef GRADER_EXPLAIN_KERNEL_UNDER_REVIEW_H
#define GRADER_EXPLAIN_KERNEL_UNDER_REVIEW_H

#include "grader/explain/explain.h"

typedef struct KernelUnderReview {
    const Explanation *explanation;
    uint32_t index; /* of the kernel in the explanation */
    const ExplainedKernel *kernel;
    const SimCounters *counters; /* of all its launches */
    KernelModel model;           /* of the kernel as it is */
    const char *source;          /* of the submission */
} KernelUnderReview;

/* Fills in `review`, which refers to itself, so it must not be moved. */
void review_begin(const Explanation *explanation, uint32_t index, const char *source, KernelUnderReview *review);

/* The share of the call's modelled time, 0 to 1, that it would save if the kernel were as in `changed`. */
double review_gain(const KernelUnderReview *review, KernelModel *changed);
/* The model counts one launch: a sum over all launches divided by their number. */
uint64_t review_per_launch(const KernelUnderReview *review, double sum);

typedef double LineMeasure(const SimLine *line);
/* The line of the submission's own file that has most of something; NULL where no line has any. */
const SimLine *review_worst_line(const KernelUnderReview *review, LineMeasure *measure);
/* The sum over all lines of the kernel. */
double review_sum(const KernelUnderReview *review, LineMeasure *measure);

double review_threads_per_block(const KernelUnderReview *review);
double review_blocks_per_launch(const KernelUnderReview *review);
double review_warps(const KernelUnderReview *review); /* of all launches */
/* How often each warp executes a line, on average: more than a few times means that the line is in a loop. */
double review_executions_per_warp(const KernelUnderReview *review, const SimLine *line);

/* a / b, and 0 where b is 0. */
static inline double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

#endif
