/* visible.h - what of others a visitor may see.  */
#ifndef SERVICE_API_VISIBLE_H
#define SERVICE_API_VISIBLE_H

#include "leaderboard/standing.h"
#include "service/api/service.h"
#include "service/store/submissions.h"

#include <stdbool.h>

/* Whether the visitor may see what belongs to this person: his own, and a teacher everybody's. */
bool visible_to(const Visit *visit, int64_t person);

/* The submission that the path names. False: there is none that the visitor may see, which has been answered. */
bool visible_submission(Visit *visit, StoredSubmission *row);

/* What the visitor may call the person of this name: the pseudonym, if there is one. `*id` is 0 where nobody has the name. */
const char *visible_name(const Visit *visit, const char *name, int64_t *id);

/* Gives the standings the names that the visitor may see, and finds the submissions that he may open, 0 for others. */
MUST_USE Status visible_standings(const Visit *visit, Standing *standings, size_t count, int64_t **submissions,
                                  Message *why);

#endif
