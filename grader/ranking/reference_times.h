/* reference_times.h - takes the times of a problem's reference solutions on one device.  */
#ifndef GRADER_RANKING_REFERENCE_TIMES_H
#define GRADER_RANKING_REFERENCE_TIMES_H

#include "base/status.h"
#include "grader/problem/problem.h"

#include <stdbool.h>

/* Times every reference solution, keeps the times in the database and shows each as it comes. `export_times`: also
 * writes the problem's part of leaderboard/references/<device id>.json and prints the file's name. A reference solution
 * that is not accepted is BAD_INPUT. */
MUST_USE Status reference_times_take(const Problem *problem, const char *device, bool export_times, Message *why);

#endif
