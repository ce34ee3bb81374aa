/* problem_read.h - reads problems/<id>/problem.json.
 *
 * docs/formats.md documents every key of that file. The reader refuses what is unknown, missing, repeated or
 * contradictory (a parameter that the signature does not have, a shape that names no size), with file, line and
 * key.  */
#ifndef GRADER_PROBLEM_PROBLEM_READ_H
#define GRADER_PROBLEM_PROBLEM_READ_H

#include "grader/problem/problem.h"

/* Reads problems/<id>/ below the judge's home, and the timed cases in its testcases, for the revision. An unknown id is
 * STATUS_NOT_FOUND with the list of known ones. */
MUST_USE Status problem_read(const char *id, Problem *problem, Message *why);

/* The same below another folder, which problem_edition_keep() has made; NULL: as problem_read(). */
MUST_USE Status problem_read_in(const char *home, const char *id, Problem *problem, Message *why);

#endif
