/* points_summary.h - how points are distributed.  */
#ifndef SERVICE_SUMMARY_POINTS_SUMMARY_H
#define SERVICE_SUMMARY_POINTS_SUMMARY_H

#include "service/summary/summary.h"

/* `most` is what can be had. Sorts the values. */
PointsSummary points_summary_of(double *values, size_t count, double most);

#endif
