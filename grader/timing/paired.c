#include "grader/timing/paired.h"

#include "base/allocated.h"
#include "grader/timing/timing.h"

#include <math.h>
#include <stdlib.h>

enum { MANY_ROUNDS = 7 }; /* two copies are equally often on either side: all seven on one side in 1.6 % */

static const double MISSES = 1.0 / 64;  /* how often an interval misses the median */
static const double OF_INTEREST = 1.02; /* a ratio of two times */

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* How many of the sorted ratios lie outside of the interval, on each side. */
static size_t outside(size_t rounds)
{
    size_t count = 0;
    double choices = 1, sum = 1; /* C(n, count), C(n, 0) + ... + C(n, count) */
    for (; ldexp(sum, 1 - (int)rounds) <= MISSES; count++) {
        choices *= (double)(rounds - count) / (double)(count + 1);
        sum += choices;
    }
    return count > 0 ? count - 1 : 0;
}

PairedRatio paired_ratio(const double *a, const double *b, size_t rounds)
{
    double *ratios = zeroed(rounds, sizeof *ratios);
    size_t count = 0;
    for (size_t i = 0; i < rounds; i++)
        if (a[i] > 0 && b[i] > 0)
            ratios[count++] = a[i] / b[i];
    qsort(ratios, count, sizeof *ratios, by_number);
    PairedRatio ratio = {.rounds = count};
    if (count > 0) {
        ratio.median = (ratios[(count - 1) / 2] + ratios[count / 2]) / 2;
        ratio.low = ratios[outside(count)];
        ratio.high = ratios[count - 1 - outside(count)];
    }
    free(ratios);
    return ratio;
}

int paired_order(const PairedRatio *ratio)
{
    const double least = timing_uncertainty(0, 0), tie = 1 + hypot(least, least);
    const bool are_many = ratio->rounds >= MANY_ROUNDS;
    const double beyond = are_many ? 1 : tie; /* where the interval must lie */
    if (ratio->rounds == 0)
        return 0;
    return (ratio->low > beyond && ratio->median > tie) - (ratio->high < 1 / beyond && ratio->median < 1 / tie);
}

bool paired_is_decided(const PairedRatio *ratio)
{
    return ratio->rounds == 0 || paired_order(ratio) != 0 ||
           (ratio->low > 1 / OF_INTEREST && ratio->high < OF_INTEREST);
}
