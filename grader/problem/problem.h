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
 * |x w| of the element. Bytes have only levels, floats only factors. And so is the output if rms(error) is at most the
 * larger of rms rms(expected) and eps32 sum_factor / 4 rms(S). */
typedef struct Tolerance {
    double sum_factor, max_factor;
    double rms;      /* 0: not checked */
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
    Tolerance tolerance;
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

/* Values of the size parameters, in order of the parameters; entries of arrays are ignored. */
typedef struct Sizes {
    int64_t values[PROBLEM_MAX_PARAMETERS];
} Sizes;

/* The rows of problem.json. */
extern const struct RecordTable problem_table;

/* Computes the shape of an array parameter and the number of its elements. STATUS_BAD_INPUT: an extent is below 1,
 * or there are more than 2^31 elements. */
MUST_USE Status problem_shape(const Problem *problem, size_t parameter, const Sizes *sizes,
                              size_t shape[TENSOR_MAX_RANK], size_t *count, Message *why);
/* Index of the one output parameter. */
size_t problem_output(const Problem *problem);

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
