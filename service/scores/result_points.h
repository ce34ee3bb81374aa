/* result_points.h - the points that one result.json is worth by a class.json, where there is no store and nobody's deadline.  */
#ifndef SERVICE_SCORES_RESULT_POINTS_H
#define SERVICE_SCORES_RESULT_POINTS_H

#include "base/arena.h"
#include "base/status.h"
#include "grader/exchange/outcome.h"

/* Adds to the outcome what its result is worth in the first assignment that has its problem; they live in `arena`. BAD_INPUT: the
 * class is wrong, or has no such problem. `outcome` NULL: only reads the class. */
MUST_USE Status result_points(const char *class_path, Arena *arena, Outcome *outcome, Message *why);

#endif
