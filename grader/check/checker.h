/* checker.h - decides whether an output tensor is close enough to the expected one, and says what is wrong with it.
 *
 * The bound of one element is the backward error of a dot product: unit (sum_factor S + max_factor max S), with S the
 * sum of |x w| of the element, max S over the output, unit the rounding unit of the output's type, 2^-23 for float. A problem
 * can have other bounds (Tolerance in problem.h). Besides, rms(error) must be at most the larger of
 * rms rms(expected) and unit sum_factor / 4 rms(S). The second term counts where products cancel: there the expected
 * values say nothing about the size of a rounding error. In timed cases a tenth of this bound holds. The test is `error <= bound`, so a NaN never passes. The
 * expected value of a whole number is the nearest one that its type has, and its bound is the distance that the problem
 * tolerates. The
 * output is checked in pieces, so that no expected output of full size takes memory.
 *
 * Source   Higham, Accuracy and Stability of Numerical Algorithms, section 3.1.  */
#ifndef GRADER_CHECK_CHECKER_H
#define GRADER_CHECK_CHECKER_H

#include "base/arena.h"
#include "base/chacha20.h"
#include "base/status.h"
#include "grader/check/diagnosis.h"
#include "grader/check/oracle.h"
#include "grader/check/resemblance.h"
#include "grader/check/tally.h"
#include "grader/problem/problem.h"
#include "grader/problem/testcase.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct WrongElement {
    size_t index; /* row-major */
    size_t position[TENSOR_MAX_RANK];
    double got, expected, error, bound;
} WrongElement;

typedef struct Comparison {
    size_t count, wrong;   /* elements that were compared; elements beyond their bound */
    double max_error;      /* largest |got - expected|; NaN or infinity if an output is */
    double mean_error;     /* mean over the elements whose output is finite */
    double bound;          /* bound of the worst element, or if none is wrong, of the one with the largest error */
    double rms, rms_bound; /* rms(error), and what it must not exceed; 0: the problem sets no bound */
    bool rms_exceeded;
    WrongElement first; /* if wrong > 0: the one with the lowest index */
    WrongElement worst; /* if wrong > 0: the one with the largest error / bound; NaN and infinity come first */
    size_t output; /* its parameter */
    size_t rank, shape[TENSOR_MAX_RANK];
    WrongOutput kind; /* of the mistake */
    char text[300]; /* the same with numbers: "the last 3 columns: never written", "every 32nd element", "every element:
                       * the filter is flipped"; "": nothing is wrong */
} Comparison;

/* Compares the output of the submission, in which a float with the bits `poison` was never written. If the testcase has
 * literal expected values, they replace those of the oracle; the magnitudes always come from the oracle. `previous` are
 * the inputs of the case before, as far as they are known; it may be NULL. */
MUST_USE Status checker_compare(const Problem *problem, const Testcase *testcase, const Oracle *oracle,
                                const void *const inputs[PROBLEM_MAX_PARAMETERS], const void *const *previous,
                                const void *output, uint32_t poison, Comparison *comparison, Message *why);

/* Finds the inputs of an earlier case, which are needed only where an output is wrong; NULL: not known. */
typedef const void *const *EarlierFind(void *context, EarlierCase which);

/* The same for a sample of the elements, where `sample` is not NULL: about SAMPLED_UNITS units of 64 neighbours, drawn with
 * this key, which nobody may know who can change the output, and the units where an index is likely to go wrong
 * (choose_units() in checker.c). Mistakes in half a percent of all units are overlooked once in 30,000 times. And `in_part`
 * for an output that was computed in part: elements that hold what call_poison_word() makes of `poison`, and so were never
 * written, do not count. A mistake in a sample has all elements compared. */
enum { SAMPLED_UNITS = 2048 };
MUST_USE Status checker_compare_sample(const Chacha20Key *sample, bool in_part, const Problem *problem,
                                       const Testcase *testcase, const Oracle *oracle,
                                       const void *const inputs[PROBLEM_MAX_PARAMETERS], EarlierFind *find_earlier,
                                       void *context, const void *output, uint32_t poison, Comparison *comparison,
                                       Message *why);

enum { CHECKER_MAX_ELEMENTS = 1024 };
typedef struct OutputElements { /* every element of a small output, row-major */
    size_t count;               /* 0: they are unknown, or too many */
    ElementType type;
    double *expected, *got, *bounds; /* `got` is NaN where nothing was written */
} OutputElements;

/* Tells all elements of an output of at most CHECKER_MAX_ELEMENTS, allocated in `arena`. */
MUST_USE Status checker_elements(const Problem *problem, const Testcase *testcase, const Oracle *oracle,
                                 const void *const inputs[PROBLEM_MAX_PARAMETERS], const void *output, uint32_t poison,
                                 Arena *arena, OutputElements *elements, Message *why);

/* True if each of the `count` elements of the tally is within its bound. */
bool checker_accepts(const Tolerance *tolerance, const Tally *tally, size_t count);
/* Fills in the comparison from a tally of `count` elements, without `wrong`, `first`, `worst`, `kind` and `text`. */
void checker_summarise(const Tolerance *tolerance, bool is_timed, const Tally *tally, size_t count, int rank,
                       const size_t *shape, Comparison *comparison);

/* An error as it is shown for hidden cases: rounded up to a power of ten. */
double checker_coarse(double error);

#endif
