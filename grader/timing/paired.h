/* paired.h - the ratio of two programs' times, from rounds in which one was timed right after the other.
 *
 * What changes slowly on a device, such as its clock and its temperature, is nearly the same in both parts of a round, so
 * their ratio varies less than either time.
 *
 * Units   times in any unit, the same for both; a time of 0 is missing, and its round does not count.
 * Source  the interval between the k-th smallest and the k-th largest of n ratios misses their median with a probability of
 *         2^(1-n) (C(n,0) + ... + C(n,k-1)), whatever their distribution: Conover, Practical Nonparametric Statistics (1999),
 *         section 3.2. Here k is the largest for which that is at most 1/64, as for the smallest and the largest of seven.  */
#ifndef GRADER_TIMING_PAIRED_H
#define GRADER_TIMING_PAIRED_H

#include <stdbool.h>
#include <stddef.h>

typedef struct PairedRatio {
    double median;    /* of the ratios a / b */
    double low, high; /* an interval of 98 % for it; of fewer than seven rounds: the smallest and the largest */
    size_t rounds;    /* with both times; 0: the other fields mean nothing */
} PairedRatio;

PairedRatio paired_ratio(const double *a, const double *b, size_t rounds);

/* Which of the two is significantly faster: a (-1), b (1), or neither (0). No time is more certain than half a percent, as
 * in timing_uncertainty(), so ratios closer to 1 than two such times are a tie. From seven rounds on, one is faster if all of the
 * interval is on its side, and the median beyond a tie; with fewer, only if every ratio is beyond it. */
int paired_order(const PairedRatio *ratio);

/* Whether more rounds are not worth their time: one is faster, or they differ by less than 2 % in any case. */
bool paired_is_decided(const PairedRatio *ratio);

#endif
