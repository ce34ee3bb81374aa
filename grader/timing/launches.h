/* launches.h - how long an empty launch takes on this host, from all openings of its device in one grading.
 *
 * Each opening times many launches and takes their median. These medians move from opening to opening by more than their own
 * intervals say, and the times of calls do not follow them: 72 on one host with four NVIDIA H200 lay between 4.35 and
 * 4.70 us, with a standard deviation of 0.09 us (docs/measurements.md). So what the host adds to a call
 * (device_host_constant_s()) follows from the median of all openings, not from one of them.
 *
 * The first opening comes before any code of the submission. Later ones count for at most 0.15 us more, so that a
 * program which left behind what slows the judge's own launches would gain no more than that.  */
#ifndef GRADER_TIMING_LAUNCHES_H
#define GRADER_TIMING_LAUNCHES_H

#include "harness/session/session.h" /* DeviceInfo */

#include <stddef.h>

enum { LAUNCHES_MOST = 16 };

typedef struct Launches {
    double seconds[LAUNCHES_MOST]; /* in the order of the openings */
    size_t count;
} Launches;

/* Keeps the launch_s of one opening, unless it is unknown. */
void launches_add(Launches *launches, const DeviceInfo *opened);

/* Sets launch_s and launch_spread_s of the device by what was kept; a single opening changes nothing. */
void launches_settle(const Launches *launches, DeviceInfo *device);

#endif
