/* problem.h - one problem, read from problems/<id>/problem.json.
 *
 * Every key of that file, with its meaning, stands in docs/formats.md; the reader refuses what is unknown, missing,
 * repeated or contradictory (a parameter that the signature does not have, a shape that names no size), with file,
 * line and key.  */
#ifndef GRADER_PROBLEM_PROBLEM_H
#define GRADER_PROBLEM_PROBLEM_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/status.h"
#include "base/tensor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROBLEM_MAX_PARAMETERS = 16 };

typedef enum ParameterRole { ROLE_IN, ROLE_OUT, ROLE_SIZE } ParameterRole;

typedef struct Parameter {
    const char *name;
    const char *c_type; /* as the signature writes it, one space, "const float*" */
    ParameterRole role;
    ElementType type;                   /* arrays */
    int rank;                           /* arrays */
    const char *shape[TENSOR_MAX_RANK]; /* arrays: expressions over the sizes */
    int64_t low, high;                  /* sizes: the limits of the statement */
} Parameter;

/* |error| <= eps32 (sum_factor S + max_factor max S) + levels, S the sum of |x w| of an element. Levels are for bytes,
 * which have no other factors, and the rest is for floats. */
typedef struct Tolerance {
    double sum_factor, max_factor;
    double rms;      /* rms(error) / rms(expected) at most; 0: not checked */
    double levels;   /* of 0 to 255, from the nearest one */
    const char *why; /* where the factors come from */
} Tolerance;

typedef struct ProblemLimits {
    uint64_t device_bytes; /* a submission may hold, besides the arrays it is given */
    uint64_t host_bytes;
    double host_seconds;        /* of host code, a call */
    double device_seconds;      /* of kernels, a call, on a device with a clock */
    double wall_seconds;        /* of a call in all */
    uint64_t warp_instructions; /* of a call on a simulated GPU */
    size_t source_bytes;
} ProblemLimits;

typedef struct Problem {
    const char *id, *title, *difficulty;
    const char *folder;    /* "problems/conv1d", absolute */
    const char *signature; /* "void solve(const float* input, ...)" */
    Parameter parameters[PROBLEM_MAX_PARAMETERS];
    size_t parameter_count;
    const char **constraints; /* expressions that must be non-zero */
    size_t constraint_count;
    const char *operations, *bytes; /* expressions: floating-point operations, least bytes moved */
    Tolerance tolerance;
    ProblemLimits limits;
    bool kernel_must_write_output;
    const char *constant_filter;            /* input that must be read through constant memory; NULL: none */
    int blocks, warm_up_calls, timed_calls; /* for devices with a clock */
    Digest revision;                        /* of signature, timed cases and tolerance: results compare within one */
    Arena arena;
} Problem;

/* Reads problems/<id>/ below the judge's home and the timed cases' part of its testcases (for the revision). An unknown
 * id is STATUS_NOT_FOUND with the list of known ones. */
MUST_USE Status problem_read(const char *id, Problem *problem, Message *why);
void problem_free(Problem *problem);

/* All ids, sorted; strings and list live in `arena`. */
MUST_USE Status problem_list(Arena *arena, const char ***ids, size_t *count, Message *why);

/* Values of the size parameters, in order of the parameters; entries of arrays are ignored. */
typedef struct Sizes {
    int64_t values[PROBLEM_MAX_PARAMETERS];
} Sizes;
MUST_USE Status problem_evaluate(const Problem *problem, const char *expression, const Sizes *sizes, int64_t *result,
                                 Message *why);
/* Shape of an array parameter; refuses an extent below 1. */
MUST_USE Status problem_shape(const Problem *problem, size_t parameter, const Sizes *sizes,
                              size_t shape[TENSOR_MAX_RANK], size_t *count, Message *why);
/* Index of the one output parameter. */
size_t problem_output(const Problem *problem);

#endif
