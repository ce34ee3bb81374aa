/* identify.h - finds out which problem a submission solves.  */
#ifndef GRADER_PROBLEM_IDENTIFY_H
#define GRADER_PROBLEM_IDENTIFY_H

#include "base/arena.h"
#include "base/status.h"

#include <stddef.h>

/* The id in a line `// problem: ID` among the first 50; NULL: there is none. It lives in the arena. */
const char *identify_by_line(const char *source, size_t length, Arena *arena);

/* Takes the id from a line `// problem: ID` among the first 50, else the only problem whose signature fits by types,
 * or by types and names. STATUS_NOT_FOUND lists the problems that fit, or all of them. `*id` lives in the arena. */
MUST_USE Status identify_problem(const char *source, size_t length, Arena *arena, const char **id, Message *why);

#endif
