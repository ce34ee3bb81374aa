/* class_rules.h - what class.json says about a request: whether something may be handed in, and what of others is shown.  */
#ifndef SERVICE_API_CLASS_RULES_H
#define SERVICE_API_CLASS_RULES_H

#include "service/api/service.h"
#include "service/classroom/due.h"
#include "service/store/submissions.h"

#include <cjson/cJSON.h>

/* NULL: the server has no class. Lives as long as the request. */
const ClassFile *class_of(const Visit *visit);

/* BAD_INPUT: a student hands in for the ranking of a problem whose assignments have not opened yet. Tries and tests are practice. */
MUST_USE Status class_expect_open(const Visit *visit, const char *problem, const char *mode, Message *why);

/* Whether class.json hides the board of a problem from students at present. */
bool class_hides_board(const Service *service, const char *problem);
/* The same for this visitor: a teacher sees everything. */
bool class_hides_board_from(const Visit *visit, const char *problem);

/* The assignments that a submission could count for; 0: it is no hand-in for ranking, or nobody knows when it was handed in, or there
 * is no class. */
size_t class_dues_of(const Service *service, const StoredSubmission *row, Arena *arena, Due **dues);
/* Adds "counts_for" where there are such. */
void class_add_counts(const Service *service, const StoredSubmission *row, cJSON *object);

/* Whether the visitor may read the source of a submission: his own, a teacher everybody's; of others what was accepted, once an
 * assignment that he has handed in for is closed and class.json shows the sources. */
MUST_USE Status class_shows_source(const Visit *visit, const StoredSubmission *row, bool *shows, Message *why);
/* The submission that the path names, with its source (NULL: the database does not have it). False: there is none that the visitor may
 * read, which has been answered. */
bool class_readable_source(Visit *visit, StoredSubmission *row, const char **source);
/* The newest of each other person whose source the visitor may read. */
MUST_USE Status class_open_sources(const Visit *visit, const char *problem, StoredSubmission **rows, size_t *count,
                                   Message *why);
/* What the visitor may call the file: a name may tell who wrote it. */
const char *class_file_name(const Visit *visit, const StoredSubmission *row);

#endif
