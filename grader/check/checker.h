/* checker.h - decides whether an output tensor is close enough to the expected one, and says what is wrong with it.
 *
 * The bound of one element is the backward error of a dot product: eps32 (sum_factor S + max_factor max S), with S the
 * sum of |x w| of the element, max S over the output, eps32 = 2^-23; and rms(error) / rms(expected) <= rms. Accepted is
 * `error <= bound`, so a NaN never passes. Of bytes, the expected value is the nearest level, and the bound the levels
 * that the problem tolerates. The output is checked in pieces, so that no expected output of full size is
 * ever held.
 *
 * Source   Higham, Accuracy and Stability of Numerical Algorithms, section 3.1.  */
#ifndef GRADER_CHECK_CHECKER_H
#define GRADER_CHECK_CHECKER_H

#include "base/status.h"
#include "grader/oracle/oracle.h"
#include "grader/problem/problem.h"
#include "grader/check/tally.h"
#include "grader/problem/testcase.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct WrongElement {
    size_t index; /* row-major */
    size_t position[TENSOR_MAX_RANK];
    double got, expected, error, bound;
} WrongElement;

typedef struct Comparison {
    size_t count, wrong; /* elements; elements beyond their bound */
    double max_error;    /* largest |got - expected|; NaN or infinity where an output is */
    double mean_error;   /* over elements whose output is finite */
    double bound;        /* of the element with the largest error; where any is wrong, of the worst one */
    double rms;          /* rms(error) / rms(expected) */
    bool rms_exceeded;
    WrongElement first, worst; /* by index; by error over bound, no finite number before any. Where wrong > 0 */
    size_t rank, shape[TENSOR_MAX_RANK];
    char kind[200]; /* the kind of mistake, without any data: "the last 3 columns: never written", "every 32nd
                              * element", "every element: the filter is flipped"; empty where all is right */
} Comparison;

/* `output` is what the submission left; a float whose bits are `poison` was never written. Literal
 * expected values of the testcase are used where it has them, with the oracle's magnitudes. */
MUST_USE Status checker_compare(const Problem *problem, const Testcase *testcase, const Oracle *oracle,
                                const void *const inputs[PROBLEM_MAX_PARAMETERS], const void *output, uint32_t poison,
                                Comparison *comparison, Message *why);

/* What a tally of the whole output says, whoever made it: whether every one of `count` elements is within its bound;
 * and all of the comparison but what names single elements (`wrong`, `first`, `worst`, `kind`). */
bool checker_accepts(const Tolerance *tolerance, const Tally *tally, size_t count);
void checker_summarise(const Tolerance *tolerance, const Tally *tally, int rank, const size_t *shape,
                       Comparison *comparison);

/* Errors as shown for hidden cases: rounded up to a power of ten. */
double checker_coarse(double error);

#endif
