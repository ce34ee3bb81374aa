/* figure.h - numbers and times of the day as pages show them: as quantity.h, with the signs of print (µs, ±, no-break
 * spaces), and with no more digits than the uncertainty allows.  */
#ifndef SERVICE_PAGES_FIGURE_H
#define SERVICE_PAGES_FIGURE_H

#include "leaderboard/percentile.h"

typedef struct Figure {
    char text[80]; /* UTF-8 without control characters */
} Figure;

/* "41.23 µs" */
Figure figure_time(double ms);
/* "162.7 ± 0.8 µs": the uncertainty has one digit, or two where the first is 1; the time ends at the same place. "162.7 µs" without
 * an uncertainty, "-" without a time. */
Figure figure_measured(MeasuredTime time);
/* A rate or another number whose relative uncertainty is known: "4,498", "164.9". */
Figure figure_within(double value, double uncertainty);
/* "97.6 %"; NaN is "-". */
Figure figure_percent(double share);
/* A whole number in groups of three: "1,500,000". */
Figure figure_whole(double number);
/* "12.5 MiB" */
Figure figure_bytes(double bytes);
/* "40 s", "3 min", "2 h" */
Figure figure_duration(double seconds);
/* "23 Nov 2026, 13:24 UTC" of "2026-11-23T13:24:16Z"; another text as it is. */
Figure figure_moment(const char *time_utc);
/* "23 Nov 2026" */
Figure figure_day(const char *time_utc);

#endif
