#include "grader/judge/hidden_duration.h"

#include "base/clock.h"

#include <time.h>

static const double LEAST_S = 0.25;

double hidden_duration(double seconds)
{
    double shown_s = LEAST_S;
    while (shown_s < seconds)
        shown_s *= 2;
    return shown_s;
}

double hidden_duration_extended(double seconds, double more_s)
{
    double shown_s = hidden_duration(seconds);
    const double most_s = shown_s + more_s;
    while (2 * shown_s <= most_s)
        shown_s *= 2;
    return shown_s;
}

double hidden_duration_wait(double start_s)
{
    const double shown_s = hidden_duration(now_s() - start_s);
    for (double left_s; (left_s = start_s + shown_s - now_s()) > 0;) {
        const struct timespec left = {.tv_sec = (time_t)left_s,
                                      .tv_nsec = (long)(1e9 * (left_s - (double)(time_t)left_s))};
        nanosleep(&left, NULL);
    }
    return shown_s;
}
