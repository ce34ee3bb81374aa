/* problem.h - one problem: what solve() is asked for, and how its answer is judged. problem.h reads it from
 * problems/<id>/problem.json.  */
#ifndef GRADER_PROBLEM_PROBLEM_H
#define GRADER_PROBLEM_PROBLEM_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/status.h"
#include "base/tensor.h"
#include "base/text.h"
#include "grader/problem/expression.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== identify ==================================================================================================== */

/* Finds out which problem a submission solves. */

/* The id in a line `// problem: ID` among the first 50; NULL: there is none. It lives in the arena. */
const char *identify_by_line(const char *source, size_t length, Arena *arena);

/* Takes the id from a line `// problem: ID` among the first 50, else the only problem whose signature fits by types,
 * or by types and names. STATUS_NOT_FOUND lists the problems that fit, or all of them. `*id` lives in the arena. */
MUST_USE Status identify_problem(const char *source, size_t length, Arena *arena, const char **id, Message *why);

/* ==== problem ===================================================================================================== */

enum { PROBLEM_MAX_PARAMETERS = 16 };

typedef enum ParameterRole {
    ROLE_IN = 1,                     /* array that is read */
    ROLE_OUT = 2,                    /* array that is written */
    ROLE_INOUT = ROLE_IN | ROLE_OUT, /* array that is read, then written */
    ROLE_SIZE = 4,                   /* whole number, of which shapes may depend */
    ROLE_SCALAR = 8                  /* float or double */
} ParameterRole;

/* An output element is accepted if |error| <= unit (sum_factor S + max_factor max S) + absolute. S is the element's second
 * number from oracle.h: the sum of |x w|, or the bound itself; with `of_expected` it is |expected|. And so is the output if
 * rms(error) is at most the larger of rms rms(expected) and unit sum_factor / 4 rms(S). */
typedef struct Tolerance {
    double unit; /* of rounding: ElementTraits.epsilon; 1: the factors are relative errors, or shares of the bound */
    double sum_factor, max_factor;
    double absolute; /* of whole numbers: largest distance from the expected one */
    bool of_expected;
    double rms;      /* 0: not checked */
    const char *why; /* derivation of the factors */
} Tolerance;

typedef struct Parameter {
    const char *name;
    const char *c_type; /* as the signature writes it, with one space: "const float*" */
    ParameterRole role;
    ElementType type;                  /* arrays and scalars; of a vector such as uchar4, of its components, */
    int components;                    /*   of which it has so many: the last extent. 1: no vector */
    int rank;                          /* arrays */
    Expression shape[TENSOR_MAX_RANK]; /* arrays: extents, over the sizes */
    Tolerance tolerance;               /* outputs */
    int64_t low, high;                 /* sizes: the limits of the statement */
    const int64_t *values;             /* sizes: in rising order, the only ones that are possible; NULL: any */
    size_t value_count;
    double least, most; /* scalars: the limits of the statement */
} Parameter;

static inline bool parameter_is_array(const Parameter *parameter)
{
    return (parameter->role & ROLE_INOUT) != 0;
}

typedef struct ProblemLimits {
    uint64_t device_bytes; /* device memory, besides the arrays that solve() gets */
    uint64_t host_bytes;
    double host_seconds;           /* host code, per call */
    double device_seconds;         /* kernels, per call, on a device with a clock */
    double wall_seconds;           /* everything, per call */
    uint64_t warp_instructions;    /* per call, on a simulated GPU */
    double grading_seconds;        /* all calls of a grading together; what counts is said in session.h */
    uint64_t grading_instructions; /* likewise, on a simulated GPU */
    size_t source_bytes;
    uint32_t compile_seconds; /* processor time of each of the compiler's programs; 0: compile_sandbox.h */
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
    size_t output;       /* the output that is looked at, the first unless problem_of_output() chose another, */
    Tolerance tolerance; /*   and its tolerance */
    ProblemLimits limits;
    bool kernel_must_write_output;
    const char *constant_filter;            /* input that must be read through constant memory; NULL: none */
    int blocks, warm_up_calls, timed_calls; /* for devices with a clock */
    const char
        *driver; /* driver.cu, which defines solve() and calls what the submission defines; NULL: there is none */
    NamedText
        *headers; /* what a submission may include; with a driver the first is student.h, whose prototypes it sees */
    size_t header_count;
    double review_factor; /* a result that is so many times faster than anything known is timed again */
    Digest revision;      /* results can be compared only within one */
    Arena arena;
} Problem;

/* Values of sizes and scalars, in order of the parameters; entries of arrays are ignored. Those of scalars are the bits of
 * a double. */
typedef struct Sizes {
    int64_t values[PROBLEM_MAX_PARAMETERS];
} Sizes;

/* Rounds the value to a float if the scalar is one, as solve() gets it; false: it is beyond the limits, rounded likewise. */
bool scalar_takes(const Parameter *scalar, double *value);
double sizes_scalar(const Sizes *sizes, size_t parameter);
void sizes_set_scalar(Sizes *sizes, size_t parameter, double value);

/* The rows of problem.json. */
extern const struct RecordTable problem_table;

/* Computes the shape of an array parameter and the number of its elements. STATUS_BAD_INPUT: an extent is below 1,
 * or there are more than 2^31 elements. */
MUST_USE Status problem_shape(const Problem *problem, size_t parameter, const Sizes *sizes,
                              size_t shape[TENSOR_MAX_RANK], size_t *count, Message *why);
/* Index of the output parameter that is looked at. */
size_t problem_output(const Problem *problem);
/* The problem as it is for its output number `number`, from 0; false if it has fewer. Everything behind pointers stays
 * the problem's own. */
bool problem_of_output(const Problem *problem, size_t number, Problem *view);

void problem_free(Problem *problem);

/* ==== problem list ================================================================================================ */

/* The ids of all problems: the folders below problems/. */

enum { PROBLEM_MAX_ID_LENGTH = 64 };

/* [a-z0-9][a-z0-9-]*: safe as the name of a folder, and on a terminal. */
bool problem_id_is_valid(const char *id);

/* All ids, sorted; strings and list live in `arena`. */
MUST_USE Status problem_list(Arena *arena, const char ***ids, size_t *count, Message *why);

/* ==== problem read ================================================================================================ */

/* Reads problems/<id>/problem.json.
 *
 * docs/reference/formats.md documents every key of that file. The reader refuses what is unknown, missing, repeated or
 * contradictory (a parameter that the signature does not have, a shape that names no size), with file, line and
 * key. */

/* Reads problems/<id>/ below the judge's home, and the timed cases in its testcases, for the revision. An unknown id is
 * STATUS_NOT_FOUND with the list of known ones. */
MUST_USE Status problem_read(const char *id, Problem *problem, Message *why);

/* The same below another folder, which problem_edition_keep() has made; NULL: as problem_read(). */
MUST_USE Status problem_read_in(const char *home, const char *id, Problem *problem, Message *why);

#endif
