/* kernel_under_review.h - one kernel with its counters and cost model, and what the rules of advice ask about it.  */
#ifndef GRADER_EXPLAIN_KERNEL_UNDER_REVIEW_H
#define GRADER_EXPLAIN_KERNEL_UNDER_REVIEW_H

#include "grader/explain/change.h"
#include "grader/explain/explain.h"
#include "grader/explain/kernel_names.h"

/* What is known of the submission and of the case beside the profile. */
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
/* How often each warp executes a line, on average: more than a few times means that the line is in a loop. */
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
/* Whether the problem is one: its weights share one axis with the output alone and another one with the input alone. false,
 * too: the problem, its sizes or its operations are unknown. */
bool review_matrix_product(const KernelUnderReview *review, MatrixProduct *product);
/* Bytes of the problem's output array; 0: the problem or its sizes are unknown. */
double review_output_bytes(const KernelUnderReview *review);
/* Taps in one direction of the filter: all of them in one dimension, their root in two or three, by the grid. */
double review_taps_in_a_row(const KernelUnderReview *review);
/* The time that a unit alone would take, as a share of the kernel's; 0: there is no such unit. */
double review_share_of(const KernelUnderReview *review, const char *unit);

/* What ptxas makes of a 32-bit integer division by a divisor that it does not know; and, an estimate, of a float32 division
 * that rounds correctly, if its operands are ordinary: a reciprocal, five multiply-adds, the test for the slow path, and the
 * branch around it with what lets the lanes meet again. One of float64 needs more of them, and moves halves of registers. */
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
/* What the kernel calls the things around a line; 0: only the kernel's own. */
void review_names(const KernelUnderReview *review, int line, KernelNames *names);
/* The source of a line without its indentation. */
void review_line_text(const KernelUnderReview *review, int line, char *text, size_t size);

/* a / b, and 0 where b is 0. */
static inline double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

#endif
