/* reference_times.h - takes the times of a problem's reference solutions on one device.  */
#ifndef GRADER_RANKING_REFERENCE_TIMES_H
#define GRADER_RANKING_REFERENCE_TIMES_H

#include "base/status.h"
#include "grader/problem/problem.h"

#include <stdbool.h>

/* Times every reference solution, or with `only_missing` those of which neither the database nor
 * leaderboard/references/<device id>.json has a time for this revision, epoch and source. Stores the times in the
 * database, and shows each one when it is known.
 * `export_times`: also writes the problem's part of leaderboard/references/<device id>.json and prints the name of
 * that file. BAD_INPUT if a reference solution is not accepted. */
MUST_USE Status reference_times_take(const Problem *problem, const char *device, bool only_missing, bool export_times,
                                     Message *why);

#endif
