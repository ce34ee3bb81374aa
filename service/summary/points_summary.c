#include "service/summary/points_summary.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The least of 0.5, 1, 2, 5, 10, ... with which all fits into the bins; a small class needs few of them. */
static double width_of(double most, size_t count)
{
    enum { FEWEST_BINS = 5 };
    static const double steps[] = {1, 2, 5};
    const size_t bins = count < FEWEST_BINS ? FEWEST_BINS : count > SUMMARY_MAX_BINS - 1 ? SUMMARY_MAX_BINS - 1 : count;
    double unit = 0.5;
    for (int i = 0; most / unit > (double)bins; i++)
        unit = steps[i % 3] * pow(10, floor(i / 3.0));
    return unit;
}

PointsSummary points_summary_of(double *values, size_t count, double most)
{
    PointsSummary summary = {.count = count, .most = most};
    if (count == 0)
        return summary;
    qsort(values, count, sizeof *values, by_value);
    const double top = fmax(fmax(most, values[count - 1]), 0.5);
    double sum = 0;
    summary.width = width_of(top, count);
    summary.bin_count = (size_t)ceil(top / summary.width - 1e-9);
    for (size_t i = 0; i < count; i++) {
        const double at = floor(values[i] / summary.width + 1e-9);
        const size_t bin = at < 0 ? 0 : at >= (double)summary.bin_count ? summary.bin_count - 1 : (size_t)at;
        summary.bins[bin]++;
        sum += values[i];
    }
    summary.mean = sum / (double)count;
    summary.median = (values[(count - 1) / 2] + values[count / 2]) / 2;
    summary.lowest = values[0];
    summary.highest = values[count - 1];
    return summary;
}
