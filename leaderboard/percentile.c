#include "leaderboard/percentile.h"

#include <math.h>

bool time_is_faster(MeasuredTime a, MeasuredTime b)
{
    return b.ms - a.ms > hypot(a.ms * a.uncertainty, b.ms * b.uncertainty);
}

Percentile percentile_among(MeasuredTime mine, const MeasuredTime *others, size_t n)
{
    Percentile result = {.n = n};
    for (size_t i = 0; i < n; i++) {
        if (time_is_faster(mine, others[i]))
            result.slower++;
        else if (time_is_faster(others[i], mine))
            result.faster++;
        else
            result.tied++;
    }
    if (n > 0) {
        result.value = 100 * ((double)result.slower + (double)result.tied / 2) / (double)n;
        result.low = 100 * (double)result.slower / (double)n;
        result.high = 100 * (double)(result.slower + result.tied) / (double)n;
    }
    return result;
}
