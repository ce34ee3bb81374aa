/* problem_list.h - the ids of all problems: the folders below problems/.  */
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

/* Fails with STATUS_NOT_FOUND, and names the nearest id and all others. */
MUST_USE Status problem_unknown(const char *id, Message *why);

#endif
