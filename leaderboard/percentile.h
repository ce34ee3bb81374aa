/* percentile.h - where a time stands among others, when all of them are uncertain.
 *
 * Two times tie unless they differ by more than the root of the sum of both squared uncertainties. A tie counts half,
 * and the interval says what the ties could make of it.  */
#ifndef LEADERBOARD_PERCENTILE_H
#define LEADERBOARD_PERCENTILE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct MeasuredTime {
    double ms;
    double uncertainty; /* half-width of the 95 % interval, relative to ms: 0.005 is half a percent */
} MeasuredTime;

typedef struct Percentile {
    size_t n; /* others; with none, the rest means nothing */
    size_t slower, tied, faster;
    double value;     /* 100 (slower + tied / 2) / n */
    double low, high; /* 100 slower / n, 100 (slower + tied) / n */
} Percentile;

/* Whether `a` is faster than `b` by more than chance explains. */
bool time_is_faster(MeasuredTime a, MeasuredTime b);

Percentile percentile_among(MeasuredTime mine, const MeasuredTime *others, size_t n);

#endif
