/* paired.h - the ratio of two programs' times, from rounds in which one was timed right after the other.
 *
 * What changes slowly on a device, such as its clock and its temperature, is nearly the same in both parts of a round, so
 * their ratio varies less than either time.
 *
 * Units   times in any unit, the same for both; a time of 0 is missing, and its round does not count.
 * Source  the interval between the smallest and the largest of n ratios contains their median with a probability of 1 - 2^(1-n),
 *         whatever their distribution: 98 % for seven. Conover, Practical Nonparametric Statistics (1999), section 3.2.  */
#ifndef GRADER_TIMING_PAIRED_H
#define GRADER_TIMING_PAIRED_H

#include <stddef.h>

typedef struct PairedRatio {
    double median, low, high; /* of the ratios a / b */
    size_t rounds;            /* with both times; 0: the other fields mean nothing */
} PairedRatio;

PairedRatio paired_ratio(const double *a, const double *b, size_t rounds);

/* Which of the two is significantly faster: a (-1), b (1), or neither (0). No time is more certain than half a percent, as
 * in timing_uncertainty(), so ratios closer to 1 than two such times are a tie. From seven rounds on, one is faster if it was in every
 * round, and the median lies beyond a tie; with fewer, only if every ratio does. */
int paired_order(const PairedRatio *ratio);

#endif
