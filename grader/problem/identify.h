/* identify.h - tells which problem a submission is for.  */
#ifndef GRADER_PROBLEM_IDENTIFY_H
#define GRADER_PROBLEM_IDENTIFY_H

#include "base/arena.h"
#include "base/status.h"

#include <stddef.h>

/* The id after a line `// problem: ID` among the first 50, else the only problem whose signature fits (parameter types,
 * then names). Otherwise NOT_FOUND, with a message that lists the problems that fit, or all. `*id` lives in the arena. */
MUST_USE Status identify_problem(const char *source, size_t length, Arena *arena, const char **id, Message *why);

#endif
