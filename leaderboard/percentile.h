/* percentile.h - where a time stands among others, if all of them are uncertain.
 *
 * Two times tie unless they differ by more than the root of the sum of both squared uncertainties. A tie counts half,
 * and the interval shows the percentile if all ties were lost or won.  */
#ifndef LEADERBOARD_PERCENTILE_H
#define LEADERBOARD_PERCENTILE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct MeasuredTime {
    double ms;
    double uncertainty; /* half-width of the 95 % interval, relative to ms: 0.005 is half a percent */
} MeasuredTime;

typedef struct Percentile {
    size_t n; /* number of others; if 0, the other fields mean nothing */
    size_t slower, tied, faster;
    double value;     /* 100 (slower + tied / 2) / n */
    double low, high; /* 100 slower / n, 100 (slower + tied) / n */
} Percentile;

/* Whether `a` is significantly faster than `b`. */
bool time_is_faster(MeasuredTime a, MeasuredTime b);

Percentile percentile_among(MeasuredTime mine, const MeasuredTime *others, size_t n);

#endif
