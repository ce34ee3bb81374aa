/* person.h - the name that a run is recorded under.  */
#ifndef GRADER_RANKING_PERSON_H
#define GRADER_RANKING_PERSON_H

#include "base/status.h"

#include <stdbool.h>

enum { PERSON_MAX_BYTES = 64 };

/* Checks that a name has 1 to 64 bytes of printable UTF-8 and no space at either end. Needs setlocale(). */
MUST_USE Status person_check(const char *name, Message *why);

/* Checks a name, and writes each letter with a mark as one letter where there is one. */
MUST_USE Status person_take(const char *given, char name[PERSON_MAX_BYTES + 1], Message *why);

/* Whether readers could take one name for the other: upper and lower case, marks, letters of other alphabets that look alike. */
bool person_looks_like(const char *a, const char *b);

/* Takes the name that was given and checks it; the login name if it is NULL. */
MUST_USE Status person_choose(const char *given, char name[PERSON_MAX_BYTES + 1], Message *why);

/* The login name, or "uid N" if the system knows none. */
void person_login(char name[PERSON_MAX_BYTES + 1]);

#endif
