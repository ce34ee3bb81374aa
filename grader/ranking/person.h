/* person.h - the name that a run is recorded under.  */
#ifndef GRADER_RANKING_PERSON_H
#define GRADER_RANKING_PERSON_H

#include "base/status.h"

enum { PERSON_MAX_BYTES = 64 };

/* Checks that a name has 1 to 64 bytes of printable UTF-8 and no space at either end. Needs setlocale(). */
MUST_USE Status person_check(const char *name, Message *why);

/* Takes the name that was given and checks it; the login name if it is NULL. */
MUST_USE Status person_choose(const char *given, char name[PERSON_MAX_BYTES + 1], Message *why);

/* The login name, or "uid N" if the system knows none. */
void person_login(char name[PERSON_MAX_BYTES + 1]);

#endif
