/* tally.h - the sums and maxima that decide whether checker.h accepts an output, from comparing each element with its
 * expected value.
 *
 * The CPU (checker.c) and GPUs (grader/check/oracle_kernels.cu) compile this same file and add parts up in the
 * order of the elements, so that the same elements give the same tally.  */
#ifndef GRADER_CHECK_TALLY_H
#define GRADER_CHECK_TALLY_H

#include <math.h>
#include <stdint.h>

#ifdef __CUDACC__
#define TALLY static inline __host__ __device__
#else
#define TALLY static inline
#endif

typedef struct Tally {
    uint64_t finite, nan;                  /* numbers of elements of the output */
    uint64_t unfit;                        /* number of expected values that are not finite: a fault of the judge */
    double max_magnitude;                  /* largest S, the sum of |x w| of an element */
    double max_excess;                     /* largest tally_excess(); -infinity: no element is finite */
    double max_error, max_error_magnitude; /* of the first element with the largest error */
    double sum_error, sum_error_squared, sum_expected_squared, sum_magnitude_squared;
} Tally;

TALLY Tally tally_empty(void)
{
    Tally tally = {0};
    tally.max_excess = -INFINITY;
    return tally;
}

/* The nearest whole number from `lowest` to `highest`, and the even one of two that are equally near. */
TALLY double tally_whole(double value, double lowest, double highest)
{
    double whole = rint(value);
    return whole < lowest ? lowest : whole > highest ? highest : whole;
}

/* The 8-bit level of a value. */
TALLY double tally_level(double value)
{
    return tally_whole(value, 0, 255);
}

/* How far an error is above the part of its bound that depends on the element: `share` of S, unit sum_factor of Tolerance. */
TALLY double tally_excess(double error, double magnitude, double share)
{
    return error - share * magnitude;
}

TALLY double tally_larger(double a, double b)
{
    return a > b ? a : b;
}

/* Adds one element. */
TALLY void tally_element(Tally *tally, double got, double expected, double magnitude, double share)
{
    double error = fabs(got - expected);
    tally->unfit += !isfinite(expected) || !isfinite(magnitude);
    tally->max_magnitude = tally_larger(tally->max_magnitude, magnitude);
    tally->sum_expected_squared += expected * expected;
    tally->sum_magnitude_squared += magnitude * magnitude;
    if (!isfinite(got)) {
        tally->nan += isnan(got) != 0;
        return;
    }
    tally->finite++;
    tally->max_excess = tally_larger(tally->max_excess, tally_excess(error, magnitude, share));
    tally->sum_error += error;
    tally->sum_error_squared += error * error;
    if (error > tally->max_error || tally->finite == 1) {
        tally->max_error = error;
        tally->max_error_magnitude = magnitude;
    }
}

/* Adds the tally of the elements that follow. */
TALLY void tally_add(Tally *sum, const Tally *next)
{
    if (next->max_error > sum->max_error || sum->finite == 0) {
        sum->max_error = next->max_error;
        sum->max_error_magnitude = next->max_error_magnitude;
    }
    sum->finite += next->finite;
    sum->nan += next->nan;
    sum->unfit += next->unfit;
    sum->max_magnitude = tally_larger(sum->max_magnitude, next->max_magnitude);
    sum->max_excess = tally_larger(sum->max_excess, next->max_excess);
    sum->sum_error += next->sum_error;
    sum->sum_error_squared += next->sum_error_squared;
    sum->sum_expected_squared += next->sum_expected_squared;
    sum->sum_magnitude_squared += next->sum_magnitude_squared;
}

#endif
