/* case_verdicts.h - verdicts of all cases, for points: of which problems they are wanted, and what gradings found.
 *
 * Only what counts points may read them: they say more of hidden cases than a student may know (docs/security.md). Whoever reads the
 * class.json of a store says of which problems it gives points for groups of cases; the head asks workers accordingly.  */
#ifndef SERVICE_STORE_CASE_VERDICTS_H
#define SERVICE_STORE_CASE_VERDICTS_H

#include "base/arena.h"
#include "base/status.h"
#include "leaderboard/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* These problems, and no others. Writes nothing where that is so already. */
MUST_USE Status case_verdicts_want(Store *store, const char *const *problems, size_t count, Message *why);
MUST_USE Status case_verdicts_are_wanted(Store *store, const char *problem, bool *wanted, Message *why);

/* Keeps what `grade --all-cases` wrote for a judging; part of the caller's transaction. NULL and "" are nothing. */
MUST_USE Status case_verdicts_put(Store *store, int64_t judging, const char *text, Message *why);
/* NULL in *text: there is none. */
MUST_USE Status case_verdicts_read(Store *store, int64_t judging, Arena *arena, const char **text, Message *why);

#endif
