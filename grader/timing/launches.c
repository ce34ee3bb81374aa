#include "grader/timing/launches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double MOST_RISE_S = 0.15e-6; /* beyond the first opening */

/* Half of the 95 % interval of a median, in standard errors of the mean: 1.96 times the root of pi / 2, for numbers that are
 * distributed normally. */
static const double HALF_INTERVAL = 2.46;

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void launches_add(Launches *launches, const DeviceInfo *opened)
{
    if (opened->launch_s > 0 && launches->count < LAUNCHES_MOST)
        launches->seconds[launches->count++] = opened->launch_s;
}

static double standard_error(const double *numbers, size_t count)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        sum += numbers[i];
    for (size_t i = 0; i < count; i++)
        squares += (numbers[i] - sum / (double)count) * (numbers[i] - sum / (double)count);
    return sqrt(squares / (double)(count - 1) / (double)count);
}

void launches_settle(const Launches *launches, DeviceInfo *device)
{
    const size_t count = launches->count;
    double sorted[LAUNCHES_MOST];
    if (count < 2)
        return;
    memcpy(sorted, launches->seconds, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_number);
    const double median_s = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
    device->launch_s = fmin(median_s, launches->seconds[0] + MOST_RISE_S);
    device->launch_spread_s = HALF_INTERVAL * standard_error(sorted, count);
}
