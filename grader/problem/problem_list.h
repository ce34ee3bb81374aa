/* problem_list.h - the problems that there are: the folders below problems/.  */
#ifndef GRADER_PROBLEM_PROBLEM_LIST_H
#define GRADER_PROBLEM_PROBLEM_LIST_H

#include "base/arena.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

enum { PROBLEM_MAX_ID_LENGTH = 64 };

/* [a-z0-9][a-z0-9-]*: safe as the name of a folder, and on a terminal. */
bool problem_id_is_valid(const char *id);

/* All ids, sorted; strings and list live in `arena`. */
MUST_USE Status problem_list(Arena *arena, const char ***ids, size_t *count, Message *why);

/* STATUS_NOT_FOUND, with the ids that there are. */
MUST_USE Status problem_unknown(const char *id, Message *why);

#endif
