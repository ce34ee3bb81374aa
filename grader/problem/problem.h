/* problem.h - one problem: what solve() is asked for, and how its answer is judged. problem_read.h reads it from
 * problems/<id>/problem.json.  */
#ifndef GRADER_PROBLEM_PROBLEM_H
#define GRADER_PROBLEM_PROBLEM_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/status.h"
#include "base/tensor.h"
#include "grader/problem/expression.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROBLEM_MAX_PARAMETERS = 16 };

typedef enum ParameterRole { ROLE_IN, ROLE_OUT, ROLE_SIZE } ParameterRole;

typedef struct Parameter {
    const char *name;
    const char *c_type; /* as the signature writes it, with one space: "const float*" */
    ParameterRole role;
    ElementType type;                  /* arrays */
    int rank;                          /* arrays */
    Expression shape[TENSOR_MAX_RANK]; /* arrays: extents, over the sizes */
    int64_t low, high;                 /* sizes: the limits of the statement */
} Parameter;

/* An output element is accepted if |error| <= eps32 (sum_factor S + max_factor max S) + levels, where S is the sum of
 * |x w| of the element. Bytes have only levels, floats only factors. */
typedef struct Tolerance {
    double sum_factor, max_factor;
    double rms;      /* largest rms(error) / rms(expected); 0: not checked */
    double levels;   /* largest distance from the nearest of the levels 0 to 255 */
    const char *why; /* derivation of the factors */
} Tolerance;

typedef struct ProblemLimits {
    uint64_t device_bytes; /* device memory, besides the arrays that solve() gets */
    uint64_t host_bytes;
    double host_seconds;           /* host code, per call */
    double device_seconds;         /* kernels, per call, on a device with a clock */
    double wall_seconds;           /* everything, per call */
    uint64_t warp_instructions;    /* per call, on a simulated GPU */
    double grading_seconds;        /* all calls of a grading together; what counts is said in call_budget.h */
    uint64_t grading_instructions; /* likewise, on a simulated GPU */
    size_t source_bytes;
} ProblemLimits;

typedef struct Problem {
    const char *id, *title, *difficulty;
    const char *folder;    /* "problems/conv1d", absolute */
    const char *testcases; /* "testcases/conv1d", absolute */
    const char *signature; /* "void solve(const float* input, ...)" */
    Parameter parameters[PROBLEM_MAX_PARAMETERS];
    size_t parameter_count;
    Expression *constraints; /* must not be 0 */
    size_t constraint_count;
    Expression operations, bytes; /* floating-point operations, least bytes moved */
    bool separable;               /* the filter is the product of a row and a column, so that two passes do */
    Tolerance tolerance;
    ProblemLimits limits;
    bool kernel_must_write_output;
    const char *constant_filter;            /* input that must be read through constant memory; NULL: none */
    int blocks, warm_up_calls, timed_calls; /* for devices with a clock */
    double review_factor; /* a result that is so many times faster than anything known is timed again */
    Digest revision;      /* problem_revision.h */
    Arena arena;
} Problem;

/* Values of the size parameters, in order of the parameters; entries of arrays are ignored. */
typedef struct Sizes {
    int64_t values[PROBLEM_MAX_PARAMETERS];
} Sizes;

/* Computes the shape of an array parameter and the number of its elements. STATUS_BAD_INPUT: an extent is below 1,
 * or there are more than 2^31 elements. */
MUST_USE Status problem_shape(const Problem *problem, size_t parameter, const Sizes *sizes,
                              size_t shape[TENSOR_MAX_RANK], size_t *count, Message *why);
/* Index of the one output parameter. */
size_t problem_output(const Problem *problem);

void problem_free(Problem *problem);

#endif
