/* testcase.h - the data that a problem is judged on (docs/reference/formats.md). */
#ifndef GRADER_PROBLEM_TESTCASE_H
#define GRADER_PROBLEM_TESTCASE_H

#include "base/arena.h"
#include "base/json.h"
#include "base/status.h"
#include "grader/problem/generator.h"
#include "grader/problem/problem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== testcase ==================================================================================================== */

typedef enum CaseGroup { CASE_SAMPLE, CASE_HIDDEN, CASE_TIMED, CASE_GROUPS } CaseGroup;

typedef enum SourceKind {
    SOURCE_VALUES,    /* literal */
    SOURCE_FILE,      /* beside the JSON file */
    SOURCE_PERTURBED, /* a file's values, each changed by a random number in [-change, change] */
    SOURCE_UNIFORM,   /* in [low, high) */
    SOURCE_NORMAL,    /* mean, deviation */
    SOURCE_INTEGERS,  /* whole numbers in [low, high] */
    SOURCE_IMPULSE,   /* `value` at `position` (default: the middle), 0 elsewhere */
    SOURCE_RAMP,      /* start + step * index */
    SOURCE_CONSTANT   /* value */
} SourceKind;

/* What the keys of a case are derived for (generator_derive()). A group that is added above gets a number of its own. */
enum { CASE_KEY_SEED = 1, CASE_KEY_GROUP, CASE_KEY_SIZES = CASE_KEY_GROUP + CASE_GROUPS };

/* What becomes of the numbers of a random source: arrays that tempt people to a shortcut. */
typedef enum CasePatternKind {
    CASE_PATTERN_NONE,
    CASE_PATTERN_SPARSE, /* of `a` runs of `c` neighbours one stays, which is drawn; the others are multiplied by `b` */
    CASE_PATTERN_EMBOSS, /* each element is minus its mirror image, and the middle one is `a`: so is the sum */
    CASE_PATTERN_ENDS,   /* the first and the last along each axis are mirror images, the others are not */
    CASE_PATTERN_PRODUCT /* a product of one vector for each axis, but for one drawn element, times 1 + `a` */
} CasePatternKind;

typedef struct CasePattern {
    CasePatternKind kind;
    double a, b, c;
} CasePattern;

typedef struct CaseSource { /* where the data of one input array come from */
    SourceKind kind;
    Tensor literal; /* SOURCE_VALUES, SOURCE_FILE, SOURCE_PERTURBED */
    bool seeded;    /* the file gives a seed; else each grading uses a secret one */
    uint64_t seed;
    double a, b;      /* low/high, mean/deviation, value, start/step, change */
    int64_t position; /* SOURCE_IMPULSE; -1: the middle */
    CasePattern pattern;
    int changes;   /* elements that have been changed since an earlier case, one in each case of a row */
    double change; /* is added to each of them */
} CaseSource;

typedef struct Testcase {
    const char *name; /* "three taps"; students see it of sample and timed cases only */
    const char *why;  /* which mistake it finds */
    CaseGroup group;
    int number; /* from 1 within its group */
    Sizes sizes;
    bool draws_sizes; /* in each grading anew (testcases_draw()), from `least` to `most` */
    Sizes least, most;
    Expression derived[PROBLEM_MAX_PARAMETERS]; /* sizes that follow from others; text NULL: the others */
    bool repeats_addresses; /* CallOptions.repeats_addresses: of the case before it in its group */
    int64_t
        attempt_instructions; /* a simulated GPU gives a call up after so many warp-instructions, and the case counts
                                   * as accepted then; 0: it is judged whole */
    CaseSource sources[PROBLEM_MAX_PARAMETERS]; /* by parameter; arrays that are read only */
    Tensor expected[PROBLEM_MAX_PARAMETERS];    /* literal values; data NULL: the oracle computes them */
    int64_t operations, bytes;                  /* values of the problem's formulas for these sizes */
} Testcase;

typedef struct TestcaseSet {
    Testcase *cases; /* samples, then hidden, then timed ones; within a group in the order of the files */
    size_t count;
    Arena arena;
} TestcaseSet;

void testcases_free(TestcaseSet *set);

/* {"input_size": 1500000, ...}: an object with a number for each size of the problem. */
cJSON *sizes_json(const Problem *problem, const Sizes *sizes);
/* Adds "input_size 1500000, kernel_size 5". */
void sizes_add(Text *out, const Problem *problem, const Sizes *sizes);
/* Adds "input_size=1500000,kernel_size=5", as --sizes takes them. */
void sizes_add_options(Text *out, const Problem *problem, const Sizes *sizes);
/* BAD_INPUT if the statement does not allow these sizes. `why` may be NULL. */
MUST_USE Status sizes_check(const Problem *problem, const Sizes *sizes, Message *why);
/* Computes the case's operations and bytes from its sizes. */
MUST_USE Status testcase_count_work(const Problem *problem, Testcase *testcase, Message *why);

/* Gives every case that draws its sizes those that follow from `secret` and its number, and that keep the constraints. */
MUST_USE Status testcases_draw(const Problem *problem, TestcaseSet *set, const GeneratorKey *secret, Message *why);

/* ==== case source ================================================================================================= */

/* Reads where the data of one array come from: literal values, a file, or a generator. */

typedef struct SourceReader {
    const JsonFile *file;
    const char *folder; /* of the file, absolute: data files lie beside it */
    Message *why;
} SourceReader;

typedef struct SourceArray { /* the array that the data are for */
    const Parameter *parameter;
    size_t shape[TENSOR_MAX_RANK], count;
} SourceArray;

/* The array in a file (tensor_read()), divided by `divisor`. Levels of a picture become floats, and RGB opaque RGBA, where the
 * array asks for it. A file of another shape is refused with both. */
MUST_USE Status case_source_file(const char *path, double divisor, const SourceArray *array, Tensor *tensor,
                                 Message *why);

/* "sparse"; "" if there is no pattern. */
const char *case_pattern_name(CasePatternKind kind);

/* True if two sources give the same data to arrays of the same shape. */
bool case_source_is_same(const CaseSource *a, const CaseSource *b);

/* ==== testcase read =============================================================================================== */

/* Reads testcases/<id>/sample.json and hidden.json (docs/reference/formats.md). */

/* Reads both files. Sizes outside the problem's limits, broken constraints, an input without a source and data of
 * the wrong shape are refused with file, line and key. A case that draws its sizes gets an example of them. */
MUST_USE Status testcases_read(const Problem *problem, TestcaseSet *set, Message *why);

#endif
