#include "harness/device/device_info.h"

#include <math.h>

const char *device_time_label(const DeviceInfo *info)
{
    return !info->modelled ? "" : info->calibrated ? "modelled" : "modelled, uncalibrated";
}

double device_host_constant_s(const DeviceInfo *info)
{
    static const double MOST_S = 5e-6;    /* what is more was a disturbance, which slows some calls and not all */
    static const double LEAST_S = 0.6e-6; /* what is less is within the spread of one host (measured: 0.5 us) */
    const bool is_known = info->launch_s > 0 && info->usual_launch_s > 0;
    const double excess_s = info->launch_s - info->usual_launch_s;
    return is_known && excess_s > LEAST_S ? fmin(excess_s, MOST_S) : 0;
}
